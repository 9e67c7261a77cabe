import type { FastifyReply } from 'fastify'
import type { World } from '../world.js'
import { EventWriter } from './event-writer.js'

/** The connection under a feed. */
export interface StreamConnection {
  readonly writer: EventWriter
  readonly end: () => void
  readonly destroy: () => void
  /** Aborts when the connection is gone. */
  readonly signal: AbortSignal
}

/** Answers a request that passed all gates with an event stream. @param onDrain the reader took what was buffered */
export function openConnection(world: World, reply: FastifyReply, onDrain: () => void): StreamConnection {
  reply.hijack()
  const response = reply.raw
  response.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
  })
  response.flushHeaders()
  const ended = new AbortController()
  response.on('close', () => ended.abort())
  response.on('error', () => ended.abort())
  const destroy = () => void response.destroy()
  const forget = world.streams.add(destroy)
  ended.signal.addEventListener('abort', forget, { once: true })
  const writer = new EventWriter(response, onDrain)
  return { writer, end: () => void response.end(), destroy, signal: ended.signal }
}

/** Waits. @returns false where the connection or the sandbox ended first */
export async function after(world: World, ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    await world.clock.sleep(ms, AbortSignal.any([signal, world.stopping]))
    return true
  } catch {
    return false
  }
}

/** Heartbeats, and the end of a reader that takes nothing for too long. */
export async function beat(world: World, connection: StreamConnection, heartbeat: () => void): Promise<void> {
  let blockedSince: number | null = null
  while (await after(world, world.limits.heartbeatMs, connection.signal)) {
    if (!connection.writer.blocked) heartbeat()
    blockedSince = connection.writer.blocked ? (blockedSince ?? world.clock.monotonic()) : null
    if (blockedSince !== null && world.clock.monotonic() - blockedSince >= world.limits.slowReaderMs) {
      world.log.warn({}, 'a stream reader was too slow and was disconnected')
      connection.destroy()
    }
  }
}
