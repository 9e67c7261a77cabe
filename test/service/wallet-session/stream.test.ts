import type { ServerResponse } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { VERSION } from '../../../src/core/version.js'
import type { ServiceEvent } from '../../../src/service/port.js'
import type { Handler, Seen } from '../local-service.js'
import { type Connection, cuts, event, held, sends, until, waitOut } from '../stream-harness.js'
import { bench, specAsset } from './local-wallet-service.js'

const STREAM = '/v1/stream/open-assets'
const snapshot = (...ids: string[]) => event('snapshot', { assets: ids.map((id) => specAsset(id)) })

/** Follows a stream whose connections do what the test says, one after the other; the last one stays. */
async function follow(connections: Connection[]) {
  const handler: Handler = (request: Seen, response: ServerResponse) => {
    const connection = connections.length > 1 ? connections.shift()! : connections[0]!
    return connection(response, request)
  }
  const built = await bench(handler)
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  const events: ServiceEvent[] = []
  const ended = (async () => {
    for await (const one of built.service.watch(stop.signal)) events.push(one)
  })()
  const troubles = () => events.filter(({ kind }) => kind === 'trouble')
  const streams = () => built.server.seen.filter(({ target }) => target === STREAM)
  return { ...built, stop, events, ended, troubles, streams, kinds: () => events.map(({ kind }) => kind) }
}

describe('the stream', () => {
  it('sends ready and the whole open set first, then new assets; comments are signs of life', async () => {
    const text = `${snapshot('a', 'b')}: ping\n\n${event('new-asset', { assets: [specAsset('c')] })}`
    const open = held(text)
    const { events, kinds, streams, world, stop, ended } = await follow([open.connection])
    await until(() => events.length === 3)
    open.stream!.write(': ping\n\n')
    await until(() => events.length === 4)
    expect(kinds()).toEqual(['ready', 'snapshot', 'delta', 'heartbeat'])
    expect(events[0]).toEqual({ kind: 'ready', stake: null })
    expect(events[1]).toMatchObject({ ids: ['a', 'b'], assets: [{ id: 'a' }, { id: 'b' }] })
    expect(events[2]).toMatchObject({ ids: ['c'], assets: [{ id: 'c', mediaType: null, turnaround: 'standard' }] })
    expect(streams()[0]?.headers).toMatchObject({
      authorization: `Bearer ${[...world.accepted][0]}`,
      'user-agent': `attestd/${VERSION}`,
    })
    stop.abort()
    await ended
  })

  it.each<[string, string, string[]]>([
    ['an array', event('new-asset', [specAsset('c'), specAsset('d')]), ['c', 'd']],
    ['one asset', event('new-asset', specAsset('c')), ['c']],
    ['one wrapped asset', event('new-asset', { asset: specAsset('c'), t: 1 }), ['c']],
    ['assetId as the id', event('new-asset', specAsset('', { id: undefined, assetId: 'c' })), ['c']],
  ])('accepts %s as a new asset', async (_, text, ids) => {
    const { events } = await follow([sends(text)])
    await until(() => events.length === 1)
    expect(events[0]).toMatchObject({ kind: 'delta', ids })
  })

  it.each<[string, unknown]>([
    ['an array', [specAsset('a')]],
    ['openAssets', { openAssets: [specAsset('a')] }],
  ])('accepts %s as the open set', async (_, data) => {
    const { events } = await follow([sends(event('snapshot', data))])
    await until(() => events.length === 2)
    expect(events[1]).toMatchObject({ kind: 'snapshot', ids: ['a'] })
  })

  it('keeps the id of a malformed asset, which is open all the same, and reports it', async () => {
    const text = event('snapshot', { assets: [specAsset('a'), specAsset('b', { contentHash: 'x' }), { no: 'id' }] })
    const { events, malformed } = await follow([sends(text)])
    await until(() => events.length === 2)
    expect(events[1]).toMatchObject({ ids: ['a', 'b'], assets: [{ id: 'a' }] })
    expect(malformed.map(({ id }) => id)).toEqual(['b', null])
  })

  it.each<[string, string]>([
    ['an unknown name', event('open-assets', { assets: [] })],
    ['no name', 'data: {}\n\n'],
    ['data that is no JSON', 'event: snapshot\ndata: {"assets": [\n\n'],
    ['a snapshot without a list', event('snapshot', { assets: {} })],
    ['a snapshot of nothing', event('snapshot', null)],
  ])('continues after an event with %s', async (_, text) => {
    const { events, streams } = await follow([sends(text + snapshot('a'))])
    await until(() => events.length === 3)
    expect(events[0]).toMatchObject({ kind: 'trouble', reason: 'event-malformed' })
    expect(events[2]).toMatchObject({ kind: 'snapshot', ids: ['a'] })
    expect(streams()).toHaveLength(1)
  })

  it('drops a malformed new asset', async () => {
    const { events, malformed } = await follow([sends(event('new-asset', null) + event('new-asset', {}))])
    await until(() => events.length === 2)
    const nothing = { kind: 'delta', assets: [], ids: [] }
    expect(events).toEqual([nothing, nothing])
    expect(malformed).toHaveLength(2)
  })

  it('reconnects after a cut, with the current token', async () => {
    const built = await follow([cuts(snapshot('a')), sends(snapshot('b'))])
    const { events, session, streams, troubles, world } = built
    await until(() => troubles().length === 1)
    session.drop([...world.accepted][0]!)
    await waitOut(built, troubles)
    await until(() => events.length === 5)
    expect(events[4]).toMatchObject({ kind: 'snapshot', ids: ['b'] })
    const [first, second] = streams().map(({ headers }) => headers.authorization)
    expect(second).toBe(`Bearer ${[...world.accepted][1]}`)
    expect(second).not.toBe(first)
  })

  it('opens a new session after a 401, and reconnects at once', async () => {
    const connections = [cuts(snapshot('a')), sends(snapshot('b'))]
    const built = await follow(connections)
    const { events, count, streams, troubles, world } = built
    await until(() => troubles().length === 1)
    world.accepted.clear()
    await waitOut(built, troubles)
    await until(() => troubles().length === 2)
    expect(troubles()[1]).toMatchObject({ reason: 'service-unauthorized', retryInMs: 0 })
    await waitOut(built, troubles)
    await until(() => events.length === 6)
    expect(count('/v1/auth/session')).toBe(2)
    expect(streams()).toHaveLength(3)
  })

  it('never repeats its token from the content type of what is no stream', async () => {
    const echoes: Connection = (response, { headers }) => {
      response.writeHead(200, { 'content-type': `text/${headers.authorization!.replace('Bearer ', '')}` }).end()
    }
    const { troubles, world } = await follow([echoes])
    await until(() => troubles().length === 1)
    expect(troubles()[0]).toMatchObject({ reason: 'service-reply-invalid' })
    expect(JSON.stringify(troubles())).toContain('text/[redacted]')
    expect(JSON.stringify(troubles())).not.toContain([...world.accepted][0])
  })

  it('waits where there is no session, and reports why', async () => {
    const built = await follow([cuts(snapshot('a')), sends(snapshot('b'))])
    const { events, count, streams, troubles, session, world } = built
    await until(() => troubles().length === 1)
    session.drop([...world.accepted][0]!)
    world.refuseSessions = [401]
    await waitOut(built, troubles)
    await until(() => troubles().length === 2)
    expect(troubles()[1]).toMatchObject({ reason: 'service-unauthorized', message: expect.stringContaining('session') })
    expect([count('/v1/auth/session'), streams().length]).toEqual([2, 1])
    await waitOut(built, troubles)
    await until(() => events.length === 6)
    expect(events[5]).toMatchObject({ kind: 'snapshot', ids: ['b'] })
  })
})
