import fastify, { type FastifyError, type FastifyInstance, type FastifyReply } from 'fastify'
import type { Clock } from '../core/clock.js'
import { AttestdError, errorText, toAttestdError } from '../core/errors.js'
import type { Log } from '../core/log.js'
import { boundedServer, type ServerLimits } from '../core/net/bounded-server.js'
import type { DaemonState } from '../fleet/daemon-state.js'
import type { HistoryPoint } from '../fleet/history.js'
import { auditWrites } from './audit.js'
import { bindError } from './bind-error.js'
import { registerBoard } from './board/queue-board.js'
import { CONSOLE_CSP } from './console/console-assets.js'
import { registerConsoleFiles } from './console/console-files.js'
import { consolePage } from './console/console-page.js'
import { documentOf } from './console/history-document.js'
import { recentQuery } from './console/recent-filter.js'
import { statusDocument } from './console/status-document.js'
import { type ControlOptions, registerControl } from './control-routes.js'
import { errorFacts } from './error-facts.js'
import type { Health } from './health.js'
import { accessPolicy, basicUser, isCrossSiteWrite, isLoopbackHostHeader } from './http-access.js'
import type { Metrics } from './metrics/metrics.js'
import { guardPages } from './page-guard.js'
import { parseRequest } from './parse-request.js'
import type { Redactor } from './redaction.js'
import type { ReviewHandlers } from './review/review-port.js'
import { registerReview } from './review/review-routes.js'

/** What the server shows and whom it admits; `state` is asked for each page, not kept. */
export interface HttpServerOptions extends ControlOptions {
  /** Address to bind. Off loopback and without a password only probes and metrics are served. */
  readonly host: string
  /** 0 takes any free port. */
  readonly port: number
  /** Opens console, status and board (any user name), and makes the board writable. */
  readonly password?: string | undefined
  readonly log: Log
  readonly redact: Redactor
  readonly health: Health
  readonly metrics: Pick<Metrics, 'text' | 'contentType'>
  readonly state: () => Promise<DaemonState> | DaemonState
  /** The last hour, oldest first. */
  readonly history: () => readonly HistoryPoint[]
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
  /** BullMQ queues that the board shows. */
  readonly boardQueues: readonly unknown[]
  /** Serves the pages on which people decide unsure assets; only where there is a password. */
  readonly review?: ReviewHandlers | undefined
  /** @default LIMITS */
  readonly limits?: ServerLimits
}

/** The daemon's HTTP side. */
export interface HttpServer {
  /** Where this machine reaches it, `http://127.0.0.1:8780`. */
  readonly url: string
  readonly port: number
  close(): Promise<void>
}

/** Largest body of a request, bytes: a list of job ids. */
const MAX_BODY_BYTES = 256 * 1024
/** @default for the few people, scrapers and probes that look at a daemon; a reload of detectors takes minutes at most */
const LIMITS: ServerLimits = { requestTimeoutMs: 10_000, maxConnections: 256, idleMs: 5 * 60_000 }

/** For every answer; the console and the board replace the policy by their own. */
const SECURITY_HEADERS = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
} as const

/**
 * Starts console, status, board, probes, metrics and control routes; `accessPolicy` states who sees what.
 * @throws AttestdError `port-in-use`, or `setting-invalid` where the address cannot be bound
 */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const app = fastify({
    logger: false,
    bodyLimit: MAX_BODY_BYTES,
    serverFactory: boundedServer(options.limits ?? LIMITS),
    forceCloseConnections: true,
    return503OnClosing: false,
  })
  guardEverything(app, options)
  registerProbes(app, options)
  await app.register(async (scope) => registerControl(scope, options))
  await registerPages(app, options)
  await listen(app, options)
  const address = app.server.address()
  const port = typeof address === 'object' && address ? address.port : options.port
  return {
    url: `http://${reachableHost(options.host)}:${port}`,
    port,
    close: () => app.close(),
  }
}

/** What holds for every route: who may call, headers, redaction of what leaves, and errors as JSON. */
function guardEverything(app: FastifyInstance, { host, password, redact, log }: HttpServerOptions): void {
  const { loopbackHostOnly } = accessPolicy(host, password)
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(SECURITY_HEADERS)
    if (loopbackHostOnly && !isLoopbackHostHeader(request.headers.host)) {
      return reply.code(421).send(problem('The Host header does not name this machine.'))
    }
    if (isCrossSiteWrite(request.method, request.headers)) {
      return reply.code(403).send(problem('Writes from pages of another site are refused.'))
    }
  })
  app.addHook('onSend', async (_request, _reply, payload) => (typeof payload === 'string' ? redact(payload) : payload))
  app.setNotFoundHandler((_request, reply) => {
    reply
      .code(404)
      .send(problem('Not found. Available: /, /status, /history, /queues, /metrics, /healthz and /readyz.'))
  })
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const status = error.statusCode ?? (error instanceof AttestdError && error.kind !== 'permanent' ? 503 : 500)
    if (status >= 500) log.warn({ err: error, route: request.routeOptions.url ?? '-' }, 'http request failed')
    reply.code(status).send(status < 500 ? problem(errorText(error)) : { error: publicFacts(error) })
  })
}

const problem = (message: string) => ({ error: { message } })

/** An error as the caller sees it: no stack, no causes. */
function publicFacts(error: unknown) {
  const { reason, message, fix } = errorFacts(toAttestdError(error))
  return { reason, message, fix }
}

function registerProbes(app: FastifyInstance, { health, metrics }: HttpServerOptions): void {
  app.get('/healthz', async () => health.liveness())
  app.get('/readyz', async (_request, reply) => {
    const readiness = await health.readiness()
    return reply.code(readiness.ready ? 200 : 503).send(readiness)
  })
  app.get('/metrics', async (_request, reply) => reply.type(metrics.contentType).send(await metrics.text()))
}

async function registerPages(app: FastifyInstance, options: HttpServerOptions): Promise<void> {
  const { audit, clock, host, password, controlToken: token, health, history, log, review, state } = options
  const hasReview = review !== undefined && password !== undefined
  await app.register(async (pages) => {
    await guardPages(pages, { policy: accessPolicy(host, password), password, token, clock, log })
    pages.get('/', async (request, reply: FastifyReply) => {
      const filter = parseRequest(recentQuery, request.query)
      // Beside each other: each may wait for a queue that is away.
      const [shown, readiness] = await Promise.all([state(), health.readiness()])
      const page = consolePage(shown, readiness, {
        filter,
        history: documentOf(history()),
        hasReview,
        now: clock.now(),
      })
      return reply.header('content-security-policy', CONSOLE_CSP).type('text/html; charset=utf-8').send(page)
    })
    pages.get('/history', async () => documentOf(history()))
    registerConsoleFiles(pages)
    if (hasReview) await pages.register(async (scope) => registerReview(scope, { handlers: review, audit }))
    pages.get('/status', async (_request, reply: FastifyReply) => {
      const [shown, readiness] = await Promise.all([state(), health.readiness()])
      const status = { ...statusDocument(shown), readiness }
      return reply.type('application/json; charset=utf-8').send(JSON.stringify(status, null, 2))
    })
    await pages.register(async (scope) => {
      auditWrites(scope, audit, {
        by: 'board',
        actionOf: ({ method, url }) => `${method} ${url}`,
        userOf: ({ headers }) => basicUser(headers.authorization),
      })
      registerBoard(scope, { writable: password !== undefined, health, queues: options.boardQueues })
    })
  })
}

async function listen(app: FastifyInstance, { host, port }: HttpServerOptions): Promise<void> {
  try {
    await app.listen({ host, port })
  } catch (error) {
    await app.close()
    throw bindError(error, { host, port })
  }
}

/** A wildcard address is not one to connect to. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host
}
