import { createBullBoard } from '@bull-board/api'
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter'
import { FastifyAdapter } from '@bull-board/fastify'
import type { FastifyInstance } from 'fastify'

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
export function registerBoard(app: FastifyInstance, options: { writable: boolean }): QueueBoard {
  const serverAdapter = new FastifyAdapter()
  serverAdapter.setBasePath(BOARD_PATH)
  const board = createBullBoard({
    queues: [],
    serverAdapter,
    options: { uiConfig: { boardTitle: 'attestd queues', hideDocsLink: true } },
  })
  app.addHook('onSend', async (_request, reply, payload) => {
    reply.header('content-security-policy', BOARD_CSP)
    const isPage = String(reply.getHeader('content-type') ?? '').startsWith('text/html')
    return isPage && typeof payload === 'string' ? payload.replaceAll(OUTSIDE_LINK, '') : payload
  })
  app.register(serverAdapter.registerPlugin(), { prefix: BOARD_PATH })
  return {
    setQueues: (queues) =>
      board.replaceQueues(
        queues.map((queue) => new BullMQAdapter(queue as never, { readOnlyMode: !options.writable })),
      ),
  }
}
