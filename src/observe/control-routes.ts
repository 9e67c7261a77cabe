import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { choicesText, chosenDetectors } from '../config/detector-choice.js'
import { type Audit, auditWrites } from './audit.js'
import { hasBearer } from './http-access.js'
import { parseRequest } from './parse-request.js'

/** States who typed the verb, percent-encoded. */
export const USER_HEADER = 'x-attestd-user'

/** What verbs ask of the running daemon. Absent queue: all. */
export interface ControlHandlers {
  failed(query: { queue?: string | undefined; limit: number }): Promise<readonly unknown[]>
  /** Jobs that wait for their next try. */
  waiting(query: { queue?: string | undefined; limit: number }): Promise<readonly unknown[]>
  /** @returns how many went back to waiting */
  retry(body: { queue?: string | undefined; ids?: string[] | undefined }): Promise<number>
  /** @returns how many waiting jobs were removed */
  drain(body: { queue?: string | undefined }): Promise<number>
  /** @returns the queues that are paused from now on */
  pause(body: { queue?: string | undefined }): Promise<readonly string[]>
  /** @returns the queues that are still paused */
  resume(body: { queue?: string | undefined }): Promise<readonly string[]>
  /** Absent detectors: the selection that the daemons work with. @returns the detectors in use from now on, and what became of it on each daemon */
  reload(body: { detectors?: string | undefined }): Promise<unknown>
  /** Goes back to the selection before; returns the same. */
  rollback(): Promise<unknown>
}

/** Who may call the control routes, for which queues, and what does the work. */
export interface ControlOptions {
  /** Bearer token of this run; see `newControlToken`. */
  readonly controlToken: string
  readonly queueNames: readonly string[]
  readonly control: ControlHandlers
  readonly audit: Audit
}

/** Most jobs in one answer. */
const MAX_LISTED = 1000
/** Most job ids in one retry. */
const MAX_IDS = 1000
/** Longest list of detectors, characters. */
const MAX_DETECTORS_TEXT = 10_000

/** The control routes: GET /control/failed and /control/waiting, POST /control/retry, drain, pause, resume, reload and rollback, each behind the token of this run. */
export function registerControl(
  app: FastifyInstance,
  { audit, controlToken, queueNames, control }: ControlOptions,
): void {
  const queue = z.enum(queueNames as [string, ...string[]]).optional()
  const listQuery = z.object({ queue, limit: z.coerce.number().int().min(1).max(MAX_LISTED).default(100) })
  const retryBody = z.strictObject({ queue, ids: z.array(z.string().min(1).max(200)).max(MAX_IDS).optional() })
  const queueBody = z.strictObject({ queue })
  const detectors = z.string().max(MAX_DETECTORS_TEXT).pipe(chosenDetectors)
  const reloadBody = z.strictObject({ detectors: detectors.transform(choicesText).optional() })

  auditWrites(app, audit, {
    by: 'verb',
    actionOf: ({ url }) => url.replace('/control/', ''),
    userOf: ({ headers }) => decodeUser(headers[USER_HEADER]),
  })
  app.addHook('onRequest', async (request, reply) => {
    if (hasBearer(request.headers.authorization, controlToken)) return
    await reply
      .code(401)
      .header('www-authenticate', 'Bearer')
      .send({
        error: { message: 'The control routes need the token of this run (control.json in the data directory).' },
      })
  })
  for (const list of ['failed', 'waiting'] as const) {
    app.get(`/control/${list}`, async (request) => ({
      jobs: await control[list](parseRequest(listQuery, request.query)),
    }))
  }
  const post = <Body>(verb: string, body: z.ZodType<Body>, work: (body: Body) => Promise<unknown>) =>
    app.post(`/control/${verb}`, (request) => work(parseRequest(body, request.body ?? {})))
  post('retry', retryBody, async (body) => ({ retried: await control.retry(body) }))
  post('drain', queueBody, async (body) => ({ drained: await control.drain(body) }))
  post('pause', queueBody, async (body) => ({ paused: await control.pause(body) }))
  post('resume', queueBody, async (body) => ({ paused: await control.resume(body) }))
  post('reload', reloadBody, (body) => control.reload(body))
  app.post('/control/rollback', () => control.rollback())
}

function decodeUser(header: string | string[] | undefined): string {
  try {
    return decodeURIComponent(String(header ?? 'unknown'))
  } catch {
    return 'unknown'
  }
}
