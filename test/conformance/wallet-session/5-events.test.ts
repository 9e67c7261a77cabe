import { expect, type TestContext } from 'vitest'
import type { ServiceEvent } from '../../../src/service/port.js'
import { rulesOf } from '../../support/conformance.js'
import { ManualClock } from '../../support/manual-clock.js'
import { startSandbox } from '../../support/sandbox.js'
import { StreamProbe } from '../../support/sandbox-events.js'
import { HASH, WIRE_ASSET, walletSessionWorld } from './world.js'

const rule = rulesOf('wallet-session')('GET /v1/stream/open-assets')
const world = walletSessionWorld({ heartbeatMs: 20 })
const STREAM = '/v1/stream/open-assets'
const POLL_MS = 2_000

async function probe({ onTestFinished }: TestContext): Promise<StreamProbe> {
  const headers = { authorization: `Bearer ${await world.token('attester')}` }
  const stream = new StreamProbe(world.sandbox.url, { target: STREAM, headers })
  onTestFinished(() => stream.close())
  return stream
}

/** The first event of this kind that the client makes of a stream with this text. */
async function read(kind: ServiceEvent['kind'], text: string, type = 'text/event-stream'): Promise<ServiceEvent> {
  world.wire.stand = (request, response) => {
    if (request.target !== STREAM) return false
    response.writeHead(200, { 'content-type': type }).write(text)
    return true
  }
  const stop = new AbortController()
  try {
    for await (const event of world.asAttester().service.watch(stop.signal)) if (event.kind === kind) return event
    throw new Error('the stream ended')
  } finally {
    stop.abort()
    world.wire.stand = null
  }
}

const event = (name: string, data: unknown) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`

rule('Answers with the content type text/event-stream.', 'Endpoints; Events', {
  sandbox: async (context) => {
    const stream = await probe(context)
    expect(await stream.status).toBe(200)
    expect(stream.response?.headers['content-type']).toMatch(/^text\/event-stream/)
  },
  client: async () => {
    const trouble = await read('trouble', event('snapshot', { assets: [] }), 'application/json')
    expect(trouble).toMatchObject({ reason: 'service-reply-invalid' })
  },
})

rule('snapshot is the first event, with the current open assets.', 'Events', {
  sandbox: async (context) => {
    const [open, closed] = [await world.newAsset(), await world.newAsset()]
    world.sandbox.world.assets.switch(closed.id, 'closed')
    const stream = await probe(context)
    await stream.event('snapshot')
    expect(stream.events.find(({ name }) => name !== '')?.name).toBe('snapshot')
    const text = JSON.stringify(stream.events[0]?.data)
    expect(text).toContain(open.id)
    expect(text).not.toContain(closed.id)
  },
  client: async () => {
    const snapshot = await read('snapshot', event('snapshot', { assets: [WIRE_ASSET] }))
    expect(snapshot).toMatchObject({ kind: 'snapshot', assets: [{ id: 'asset-1', contentHash: HASH }] })
  },
})

rule('new-asset is sent when new open assets appear.', 'Events', {
  sandbox: async (context) => {
    const stream = await probe(context)
    await stream.event('snapshot')
    const { id } = await world.newAsset()
    expect(JSON.stringify((await stream.event('new-asset')).data)).toContain(id)
  },
  client: async () => {
    const delta = await read('delta', event('new-asset', { assets: [WIRE_ASSET] }))
    expect(delta).toMatchObject({ kind: 'delta', assets: [{ id: 'asset-1' }] })
  },
})

rule('The server polls for new assets every 2 seconds.', 'Events; Limits', {
  sandbox: async ({ onTestFinished }) => {
    const clock = new ManualClock(Date.now())
    const sandbox = await startSandbox({ clock, disableAuth: true })
    const stream = new StreamProbe(sandbox.url, { target: STREAM, headers: {} })
    onTestFinished(async () => {
      stream.close()
      await sandbox.close()
    })
    await stream.event('snapshot')
    const { id } = await sandbox.registerFile('new.png', { content: Buffer.from('new') })
    await clock.advance(POLL_MS - 1)
    expect(stream.events.map(({ name }) => name)).toEqual(['snapshot'])
    await clock.advance(1)
    expect(JSON.stringify((await stream.event('new-asset')).data)).toContain(id)
  },
  client: '– it accepts events at any time',
})

rule('Comment lines of the form ": ping" keep the connection alive.', 'Events', {
  sandbox: async (context) => {
    const stream = await probe(context)
    await stream.event('snapshot')
    await expect.poll(() => stream.text).toMatch(/(^|\n): ping\n/)
  },
  client: async () => {
    expect(await read('heartbeat', ': ping\n\n')).toEqual({ kind: 'heartbeat' })
  },
})
