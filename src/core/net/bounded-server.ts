import http from 'node:http'
import type { Socket } from 'node:net'

/** What one caller, or many, can hold of an HTTP server. */
export interface ServerLimits {
  /** From the first byte of a connection or request to the last of its headers and body, milliseconds. */
  readonly requestTimeoutMs: number
  /** A further one takes the place of the first without a whole request under way; where there is none, it is closed at once. */
  readonly maxConnections: number
  /** A connection on which nothing moves is closed after this, milliseconds; longer than any answer takes. */
  readonly idleMs: number
}

/** Of `requestTimeoutMs`: how often Node looks for requests that took longer. Its own default is every 30 s. */
const CHECKS_PER_TIMEOUT = 10
/** Until a connection between two requests is closed, milliseconds. */
const KEEP_ALIVE_MS = 5_000

/** Makes servers with these limits, for the `serverFactory` of fastify. A request that is late is answered with 408. */
export function boundedServer(limits: ServerLimits): (handler: http.RequestListener) => http.Server {
  const { idleMs, maxConnections, requestTimeoutMs } = limits
  return (handler) => {
    const server = http.createServer(
      {
        headersTimeout: requestTimeoutMs,
        requestTimeout: requestTimeoutMs,
        connectionsCheckingInterval: requestTimeoutMs / CHECKS_PER_TIMEOUT,
        keepAliveTimeout: KEEP_ALIVE_MS,
      },
      handler,
    )
    boundConnections(server, maxConnections)
    server.setTimeout(idleMs)
    return server
  }
}

function boundConnections(server: http.Server, most: number): void {
  const open = new Set<Socket>()
  const requests = new Map<Socket, http.IncomingMessage>()
  server.on('request', (request, response) => {
    const { socket } = request
    requests.set(socket, request)
    response.once('close', () => requests.delete(socket))
  })
  server.on('connection', (socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    if (open.size > most) [...open].find((one) => !requests.get(one)?.complete)?.destroy()
  })
}
