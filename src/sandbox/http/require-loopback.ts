import type { FastifyRequest } from 'fastify'
import { isLoopback } from '../../core/net/loopback.js'
import { isLoopbackHostHeader } from '../../observe/http-access.js'
import { Refusal } from './refusal.js'

/**
 * Lets only this machine in. The Host header is checked as well, so that a web page whose name was rebound to
 * 127.0.0.1 cannot reach in through a browser, and an Origin, so that no other page can.
 */
export function requireLoopback(request: FastifyRequest): void {
  const { host, origin } = request.headers
  const fromHere = isLoopback(request.raw.socket.remoteAddress ?? '') && isLoopbackHostHeader(host)
  const fromPage = origin === undefined || (URL.canParse(origin) && isLoopback(new URL(origin).hostname))
  if (!fromHere || !fromPage) throw new Refusal('loopback-only', 'This route answers only to this machine.')
}
