import type { ServerResponse } from 'node:http'
import { onTestFinished } from 'vitest'
import type { ServiceEvent } from '../../src/service/port.js'
import { createSignedKeyService, type SignedKeyOptions } from '../../src/service/signed-key/attester-service.js'
import { ManualClock } from '../support/manual-clock.js'
import {
  ACCESS_KEY,
  defaultsFor,
  LocalServer,
  type Seen,
  SIGNING_SECRET,
  sendJson,
  WIRE_STAKE,
  wireAsset,
  wrongWith,
} from './local-service.js'

export const IDLE_MS = 45_000
export const TIMEOUT_MS = 5_000
export const STREAM = '/api/v1/attester/media/stream'

export type Connection = (response: ServerResponse, request: Seen) => void

/** Tells how often a limit was set. */
class CountingClock extends ManualClock {
  naps = 0

  override sleep(ms: number, signal?: AbortSignal): Promise<void> {
    this.naps++
    return super.sleep(ms, signal)
  }
}

/** A reader of a service whose stream connections do what the test says, one after the other; the last one stays. */
export async function setUp(connections: Connection[], options: Partial<SignedKeyOptions> = {}) {
  const clock = new CountingClock()
  const world = { offset: 0, timeFails: false }
  const server = await LocalServer.start((request, response) => {
    const now = clock.now() + world.offset
    if (request.target === '/api/v1/time') {
      return world.timeFails ? sendJson(response, 503, {}) : sendJson(response, 200, { serverTime: now })
    }
    const wrong = wrongWith(request, now)
    if (wrong) return sendJson(response, 401, { error: wrong })
    const connection = connections.length > 1 ? connections.shift()! : connections[0]!
    connection(response, request)
  })
  const malformed: string[] = []
  const { service, close } = createSignedKeyService({
    ...defaultsFor(server.url),
    accessKey: ACCESS_KEY,
    signingSecret: SIGNING_SECRET,
    requestTimeoutMs: TIMEOUT_MS,
    streamIdleMs: IDLE_MS,
    clock,
    random: () => 0.5,
    onMalformed: ({ id }) => malformed.push(String(id)),
    ...options,
  })
  const stop = new AbortController()
  // Last stated, first run.
  onTestFinished(() => server.stop())
  onTestFinished(close)
  onTestFinished(() => stop.abort())
  const streams = () => server.seen.filter(({ target }) => target === STREAM)
  return { clock, world, server, service, stop, streams, malformed }
}

/** Follows the stream in the background. */
export function follow({ service, stop }: Awaited<ReturnType<typeof setUp>>) {
  const events: ServiceEvent[] = []
  const ended = (async () => {
    for await (const event of service.watch(stop.signal)) events.push(event)
  })()
  const troubles = () => events.filter((event) => event.kind === 'trouble')
  return { events, ended, troubles, kinds: () => events.map(({ kind }) => kind) }
}

/** Waits out the last trouble's wait, and no more: what follows runs on real sockets, and must not run into limits. */
export async function waitOut({ clock }: { clock: ManualClock }, troubles: () => ServiceEvent[]): Promise<number> {
  const last = troubles().at(-1)
  const retryInMs = last?.kind === 'trouble' ? (last.retryInMs ?? 0) : 0
  await clock.untilSleeping()
  await clock.advance(retryInMs)
  return retryInMs
}

export async function until(condition: () => boolean): Promise<void> {
  for (let waited = 0; !condition(); waited++) {
    if (waited > 5_000) throw new Error(`never came: ${condition}`)
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
}

export const open = (response: ServerResponse, type = 'text/event-stream') => {
  response.writeHead(200, { 'content-type': type })
  response.flushHeaders()
}
export const event = (name: string, data: unknown) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
export const ready = event('ready', { stake: WIRE_STAKE })
export const ping = event('ping', { t: 1 })
export const snapshot = (...ids: string[]) => event('open-assets', { ids, assets: ids.map((id) => wireAsset(id)) })

/** Opens, sends the text, and stays. */
export const sends = (text: string | Buffer): Connection => {
  return (response) => {
    open(response)
    response.write(text)
  }
}
/** The same for a stream that the test goes on with: its `stream` is the last one that was opened. */
export function held(text: string) {
  const kept = {
    stream: undefined as ServerResponse | undefined,
    connection: ((response, request) => {
      kept.stream = response
      sends(text)(response, request)
    }) as Connection,
  }
  return kept
}
/** Opens, sends the text, and cuts the connection once it arrived. */
export const cuts = (text: string): Connection => {
  return (response) => {
    open(response)
    response.write(text, () => setTimeout(() => response.destroy(), 20))
  }
}
export const answers = (status: number, headers = {}): Connection => {
  return (response) => sendJson(response, status, { error: 'no' }, headers)
}
