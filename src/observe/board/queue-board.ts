import { createBullBoard } from '@bull-board/api'
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter'
import { FastifyAdapter } from '@bull-board/fastify'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Health } from '../health.js'
import { AWAY_STATUS, queueAway, sendAwayPage } from './board-away.js'

/** Where the board is served. */
const BOARD_PATH = '/queues'

/** Content-Security-Policy of the board: its own files, and the style elements its components make. */
const BOARD_CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

/** The board's page names a font of another site: it would tell that site who runs the daemon, and the policy forbids it. */
const OUTSIDE_LINK = /<link\b[^>]*\bhref="https?:\/\/[^>]*>/g

/** The board is served before the queues are open, and is empty until they are given to it. */
export interface QueueBoard {
  /** Shows these BullMQ queues from now on. */
  setQueues(queues: readonly unknown[]): void
}

/**
 * Puts the bull-board under `/queues`.
 * @param writable whether jobs may be retried, removed and promoted from the board; else writes answer 405
 */
export function registerBoard(
  app: FastifyInstance,
  { health, writable }: { readonly writable: boolean; readonly health: Pick<Health, 'readiness'> },
): QueueBoard {
  const serverAdapter = new FastifyAdapter()
  serverAdapter.setBasePath(BOARD_PATH)
  const board = createBullBoard({
    queues: [],
    serverAdapter,
    options: { uiConfig: { boardTitle: 'attestd queues', hideDocsLink: true } },
  })
  app.addHook('onRequest', async (request, reply) => {
    // The board's own files need no queue: with them a page that is open can state what the answers below are.
    if (request.url.startsWith(`${BOARD_PATH}/static/`)) return
    const away = await queueAway(health)
    if (away !== null) await sendAwayPage(request, reply, away)
  })
  app.addHook('onSend', async (_request, reply, payload) => {
    if (reply.statusCode !== AWAY_STATUS) reply.header('content-security-policy', BOARD_CSP)
    const isPage = String(reply.getHeader('content-type') ?? '').startsWith('text/html')
    return isPage && typeof payload === 'string' ? payload.replaceAll(OUTSIDE_LINK, '') : payload
  })
  app.register(serverAdapter.registerPlugin(), { prefix: BOARD_PATH })
  return { setQueues: (queues) => board.replaceQueues(queues.map((queue) => boardAdapter(queue, writable))) }
}

/** What the board states about a queue that it may not change. */
const READ_ONLY =
  'Read-only, since no password is set: with ATTESTD_HTTP_PASSWORD whoever knows it may retry, remove and pause here. attestd queue does so without one.'

function boardAdapter(queue: unknown, writable: boolean): BullMQAdapter {
  const adapter = new BullMQAdapter(queue as never, {
    readOnlyMode: !writable,
    ...(writable ? {} : { description: READ_ONLY }),
  })
  adapter.setFormatter('name', jobTitle)
  return adapter
}

const titledJob = z.object({ data: z.object({ asset: z.object({ id: z.string(), title: z.string() }) }) })

/** A job by the asset that it is about; the board escapes it. */
function jobTitle(job: { readonly name?: string | undefined }): string {
  const asset = titledJob.safeParse(job).data?.data.asset
  return asset ? asset.title || asset.id : (job.name ?? '')
}
