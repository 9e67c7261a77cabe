import { createBullBoard } from '@bull-board/api'
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter'
import { FastifyAdapter } from '@bull-board/fastify'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { CONSOLE_CSP, CONSOLE_REFRESH_S, CONSOLE_STYLE } from '../console/console-assets.js'
import { Html, html } from '../console/html.js'
import type { Health, NamedCheck } from '../health.js'
import { SAFE_METHODS } from '../http-access.js'

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

export interface BoardOptions {
  /** BullMQ queues. */
  readonly queues: readonly unknown[]
  /** Whether it may change jobs; else writes answer 405. */
  readonly writable: boolean
  readonly health: Pick<Health, 'readiness'>
}

/** Puts the bull-board under `/queues`. */
export function registerBoard(app: FastifyInstance, { health, queues, writable }: BoardOptions): void {
  const serverAdapter = new FastifyAdapter()
  serverAdapter.setBasePath(BOARD_PATH)
  createBullBoard({
    queues: queues.map((queue) => boardAdapter(queue, writable)),
    serverAdapter,
    options: { uiConfig: { boardTitle: 'attestd queues', hideDocsLink: true } },
  })
  app.addHook('onRequest', async (request, reply) => {
    // The board's own files need no queue: with them a page that is open can state what the answers below are.
    if (request.url.startsWith(`${BOARD_PATH}/static/`)) return
    // Pausing all queues of a board that is read-only would answer 200 and do nothing.
    if (!writable && !SAFE_METHODS.has(request.method)) return reply.code(405).send({ error: READ_ONLY })
    const away = await queueAway(health)
    if (away !== null) await sendAwayPage(request, reply, away)
  })
  app.addHook('onSend', async (_request, reply, payload) => {
    if (reply.statusCode !== AWAY_STATUS) reply.header('content-security-policy', BOARD_CSP)
    const isPage = String(reply.getHeader('content-type') ?? '').startsWith('text/html')
    return isPage && typeof payload === 'string' ? payload.replaceAll(OUTSIDE_LINK, '') : payload
  })
  app.register(serverAdapter.registerPlugin(), { prefix: BOARD_PATH })
}

/** What the board states about a queue that it may not change. */
const READ_ONLY =
  'Read-only: no password is set. Set ATTESTD_HTTP_PASSWORD to retry, remove and pause here, or use attestd queue.'

function boardAdapter(queue: unknown, writable: boolean): BullMQAdapter {
  const adapter = new BullMQAdapter(queue as never, {
    readOnlyMode: !writable,
    ...(writable ? {} : { description: READ_ONLY }),
  })
  adapter.setFormatter('name', jobTitle)
  return adapter
}

const titledJob = z.object({ data: z.object({ asset: z.object({ id: z.string(), title: z.string() }) }) })

function jobTitle(job: { readonly name?: string | undefined }): string {
  const asset = titledJob.safeParse(job).data?.data.asset
  return asset ? asset.title || asset.id : (job.name ?? '')
}

const AWAY_STATUS = 503

/** The check of the queue where the engine does not answer; null where it does. A queue that is paused does. */
async function queueAway(health: Pick<Health, 'readiness'>): Promise<NamedCheck | null> {
  const { checks } = await health.readiness()
  return checks.find(({ name, ok, reason }) => name === 'queue' && !ok && reason !== 'queue-paused') ?? null
}

/** Answers for the board, which would only wait: a page for people, an error for a board that is open. */
async function sendAwayPage(request: FastifyRequest, reply: FastifyReply, check: NamedCheck): Promise<void> {
  reply.code(AWAY_STATUS)
  if (!String(request.headers.accept).includes('text/html')) {
    await reply.send({ error: { reason: check.reason, message: check.message }, message: check.message })
    return
  }
  await reply.header('content-security-policy', CONSOLE_CSP).type('text/html; charset=utf-8').send(awayPage(check))
}

function awayPage({ fix, reason, message }: NamedCheck): string {
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex"><title>attestd queues: no answer</title>
<noscript><meta http-equiv="refresh" content="${CONSOLE_REFRESH_S}"></noscript>
<style>${new Html(CONSOLE_STYLE)}</style><script src="/console/return.js" type="module"></script></head>
<body><header><h1>attestd queues</h1><span class="state bad">no answer</span><nav aria-label="Pages"><a href="/">Console</a></nav></header>
<main><section class="wide"><h2>The queue does not answer</h2><p>${message}</p><p><code class="bad">${reason ?? null}</code>${fix ? html` <span class="fix">${fix}</span>` : null}</p>
<p class="soft">No job is lost by it. This page shows the queues as soon as they answer.</p></section></main></body></html>`
    .text
}
