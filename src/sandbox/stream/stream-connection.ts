import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'
import { succeeds } from '../../core/errors.js'
import type { World } from '../world.js'

/** An event stream: writes server-sent events and knows whether the reader keeps up. */
export class StreamConnection {
  readonly #world: World
  readonly #response: ServerResponse
  readonly #ended = new AbortController()
  #blocked = false

  /** Answers a request that passed all gates. @param onDrain the reader took what was buffered */
  constructor(world: World, reply: FastifyReply, onDrain: () => void = () => {}) {
    this.#world = world
    reply.hijack()
    const response = reply.raw
    this.#response = response
    response.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    })
    response.flushHeaders()
    world.streams.add(response)
    for (const event of ['close', 'error']) response.on(event, () => this.#ended.abort())
    this.signal.addEventListener('abort', () => world.streams.delete(response), { once: true })
    response.on('drain', () => {
      this.#blocked = false
      onDrain()
    })
  }

  get signal(): AbortSignal {
    return this.#ended.signal
  }

  /** True while the reader has not taken what was written; nothing more should be written then. */
  get blocked(): boolean {
    return this.#blocked
  }

  event(name: string, data: unknown): void {
    this.raw(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`)
  }

  /** Text as it stands, for comments and for faults. */
  raw(text: string): void {
    if (!this.#response.writable) return
    if (!this.#response.write(text)) this.#blocked = true
  }

  end(): void {
    this.#response.end()
  }

  destroy(): void {
    this.#response.destroy()
  }

  /** Waits. @returns false where the connection or the sandbox ended first */
  async after(ms: number): Promise<boolean> {
    const { clock, stopping } = this.#world
    return succeeds(clock.sleep(ms, AbortSignal.any([this.signal, stopping])))
  }

  /** Heartbeats, and the end of a reader that takes nothing for too long. */
  async beat(heartbeat: () => void): Promise<void> {
    const { clock, log, options } = this.#world
    let blockedSince: number | null = null
    while (await this.after(options.heartbeatMs)) {
      if (!this.#blocked) heartbeat()
      blockedSince = this.#blocked ? (blockedSince ?? clock.monotonic()) : null
      if (blockedSince !== null && clock.monotonic() - blockedSince >= options.slowReaderMs) {
        log.warn({}, 'a stream reader was too slow and was disconnected')
        this.destroy()
      }
    }
  }
}
