import { expect, type TestContext } from 'vitest'
import type { ServiceEvent } from '../../../src/service/port.js'
import { rulesOf } from '../../support/conformance.js'
import { urlAnswering } from '../../support/local-server.js'
import { StreamProbe } from '../../support/sandbox-events.js'
import { expectSigned, HASH, STREAM, signedKeyWorld, WIRE_ASSET } from './world.js'

const rule = rulesOf('signed-key')('GET /api/v1/attester/media/stream')
const world = signedKeyWorld({ heartbeatMs: 20 })
const STAKE = { stakedWei: '5', minStakeWei: '1' }

function probe({ onTestFinished }: TestContext): StreamProbe {
  const stream = new StreamProbe(world.sandbox.url, world.sandbox.attesterKey)
  onTestFinished(() => stream.close())
  return stream
}

/** What the client makes of a stream with these events; the last of them ends the look. */
async function read(
  kind: ServiceEvent['kind'],
  events: readonly (readonly [string, unknown])[],
): Promise<ServiceEvent> {
  const text = events.map(([name, data]) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`).join('')
  world.wire.stand = (request, response) => {
    if (request.target !== STREAM) return false
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(text)
    return true
  }
  const stop = new AbortController()
  try {
    for await (const event of world.attester.service.watch(stop.signal)) if (event.kind === kind) return event
    throw new Error('the stream ended')
  } finally {
    stop.abort()
    world.wire.stand = null
  }
}

rule('Answers with the content type text/event-stream.', 'Endpoints', {
  sandbox: async (context) => {
    const stream = probe(context)
    expect(await stream.status).toBe(200)
    expect(stream.response?.headers['content-type']).toMatch(/^text\/event-stream/)
  },
  client: async (context) => {
    const serviceUrl = await urlAnswering((request, response) => {
      const isTime = request.url === '/api/v1/time'
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(isTime ? JSON.stringify({ serverTime: Date.now() }) : 'event: ping\ndata: {"t":1}\n\n')
    }, context)
    const stop = new AbortController()
    for await (const event of world.client(world.sandbox.attesterKey, { serviceUrl }).service.watch(stop.signal)) {
      expect(event).toMatchObject({ kind: 'trouble', reason: 'service-reply-invalid' })
      break
    }
    stop.abort()
  },
})

rule('Signed like any GET; the signed path has no query.', 'Endpoints', {
  sandbox: async (context) => {
    expect(await probe(context).status).toBe(200)
    expect((await world.asAttester('GET', STREAM, undefined, { spoil: () => 'x'.repeat(64) })).status).toBe(401)
  },
  client: async () => {
    await read('heartbeat', [['ping', { t: 1 }]])
    const request = world.wire.last('GET', STREAM)
    expect(request.target).toBe(STREAM)
    expectSigned(request, world.sandbox.attesterKey)
  },
})

rule('ready: { stake: { stakedWei, minStakeWei } }, the stake information of the key.', 'Events', {
  sandbox: async (context) => {
    const { data } = await probe(context).event('ready')
    expect(data).toEqual({
      stake: { stakedWei: expect.stringMatching(/^\d+$/), minStakeWei: expect.stringMatching(/^\d+$/) },
    })
  },
  client: async () => {
    const event = await read('ready', [['ready', { stake: STAKE }]])
    expect(event).toEqual({ kind: 'ready', stake: { stakedWei: 5n, minStakeWei: 1n } })
  },
})

rule('open-assets: { ids, assets }, the snapshot, at first and whenever the open set changes.', 'Events', {
  sandbox: async (context) => {
    const { id } = await world.newAsset()
    const stream = probe(context)
    const first = await stream.event('open-assets')
    expect(first.data.ids).toContain(id)
    expect(first.data.assets.map((asset: { id: string }) => asset.id)).toEqual(first.data.ids)
    const seen = stream.events.length
    world.sandbox.world.assets.switch(id, 'closed')
    expect((await stream.event('open-assets', seen)).data.ids).not.toContain(id)
  },
  client: async () => {
    const event = await read('snapshot', [['open-assets', { ids: ['asset-1', 'gone'], assets: [WIRE_ASSET] }]])
    expect(event).toMatchObject({
      kind: 'snapshot',
      ids: ['asset-1', 'gone'],
      assets: [{ id: 'asset-1', contentHash: HASH }],
    })
    expect(event).not.toMatchObject({ assets: [{ myScore: expect.anything() }] })
  },
})

rule('new-open-assets: { ids, assets }, sent when the open set expands.', 'Events', {
  sandbox: async (context) => {
    const stream = probe(context)
    await stream.event('open-assets')
    const { id } = await world.newAsset()
    const { data } = await stream.event('new-open-assets')
    expect(data.ids).toEqual([id])
    expect(data.assets).toMatchObject([{ id, status: 'open' }])
  },
  client: async () => {
    const event = await read('delta', [['new-open-assets', { ids: ['asset-1'], assets: [WIRE_ASSET] }]])
    expect(event).toMatchObject({ kind: 'delta', ids: ['asset-1'], assets: [{ id: 'asset-1' }] })
  },
})

rule('ping: { t: number }, the heartbeat.', 'Events', {
  sandbox: async (context) => {
    expect((await probe(context).event('ping')).data).toEqual({ t: expect.any(Number) })
  },
  client: async () => {
    expect(await read('heartbeat', [['ping', { t: 1_700_000_000_000 }]])).toEqual({ kind: 'heartbeat' })
  },
})

rule('error: { message: string }, a stream error.', 'Events', {
  sandbox: async (context) => {
    const stream = probe(context)
    await stream.event('open-assets')
    world.sandbox.control.setStake({ stakedWei: 1n })
    const { data } = await stream.event('error')
    world.sandbox.control.setStake({ stakedWei: 10n ** 19n })
    expect(data).toEqual({ message: expect.any(String) })
  },
  client: async () => {
    expect(await read('trouble', [['error', { message: 'out of order' }]])).toMatchObject({
      reason: 'stream-error-event',
      message: expect.stringContaining('out of order'),
    })
  },
})
