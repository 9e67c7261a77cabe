import type { FastifyReply, FastifyRequest } from 'fastify'
import { CONSOLE_CSP, CONSOLE_REFRESH_S, CONSOLE_STYLE } from '../console/console-assets.js'
import { Html, html } from '../console/html.js'
import type { Health, NamedCheck } from '../health.js'

/** Status of every answer of the board while the queue is away. */
export const AWAY_STATUS = 503

/** The check of the queue where the engine does not answer; null where it does. A queue that is paused does. */
export async function queueAway(health: Pick<Health, 'readiness'>): Promise<NamedCheck | null> {
  const { checks } = await health.readiness()
  return checks.find(({ name, ok, reason }) => name === 'queue' && !ok && reason !== 'queue-paused') ?? null
}

/** Answers for the board, which would only wait: a page for people, an error for a board that is open. */
export async function sendAwayPage(request: FastifyRequest, reply: FastifyReply, check: NamedCheck): Promise<void> {
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
