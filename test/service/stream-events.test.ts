import { describe, expect, it } from 'vitest'
import { LARGE_EVERY_MS } from '../../src/service/sse-connection.js'
import { settle } from '../support/manual-clock.js'
import { WIRE_STAKE, wireAsset } from './local-service.js'
import {
  type Connection,
  event,
  follow,
  held,
  open,
  ping,
  ready,
  sends,
  setUp,
  snapshot,
  until,
} from './stream-harness.js'

describe('events', () => {
  it('may have CRLF lines and data over several lines, and arrive byte by byte', async () => {
    const text = `event: ready\r\ndata: {"stake":\r\ndata: ${JSON.stringify(WIRE_STAKE)}}\r\n\r\n`
    const set = await setUp([
      async (response) => {
        open(response)
        for (const byte of Buffer.from(text)) {
          response.write(Buffer.of(byte))
          await settle()
        }
      },
    ])
    const { kinds } = follow(set)
    await until(() => kinds().at(-1) === 'ready')
  })

  it('with malformed assets lose only those', async () => {
    const assets = [wireAsset('a'), wireAsset('bad', { contentHash: 'x' }), 7, wireAsset('b')]
    const set = await setUp([sends(event('open-assets', { ids: ['a', 'bad', 7, 'b'], assets }))])
    const { events } = follow(set)
    await until(() => events.length === 1)
    expect(events[0]).toMatchObject({ kind: 'snapshot', ids: ['a', 'bad', 'b'], assets: [{ id: 'a' }, { id: 'b' }] })
    expect(set.malformed).toEqual(['bad', 'null'])
  })

  const garbage: [string, string | Buffer][] = [
    ['data that is not JSON', 'event: open-assets\ndata: {"ids":[\n\n'],
    ['data of a wrong shape', event('open-assets', { ids: 'a', assets: [] })],
    ['an unknown name', event('closed-assets', {})],
    ['no name', 'data: {}\n\n'],
    ['the library’s own name', event('open', {})],
    ['a malformed stake', event('ready', { stake: { stakedWei: 'much', minStakeWei: '1' } })],
    ['a malformed error', 'event: error\ndata: boom\n\n'],
    ['bytes that are not UTF-8', Buffer.from('event: ping\ndata: \xff\xfe\xc3\n\n', 'latin1')],
  ]
  it.each(garbage)('with %s are reported and skipped', async (_, text) => {
    const set = await setUp([sends(Buffer.concat([Buffer.from(text), Buffer.from(ping)]))])
    const { events } = follow(set)
    await until(() => events.length === 2)
    expect(events).toMatchObject([{ kind: 'trouble', reason: 'event-malformed' }, { kind: 'heartbeat' }])
    expect(set.streams()).toHaveLength(1)
  })

  it('named error are messages of the service, not the end of the connection', async () => {
    const set = await setUp([sends(event('error', { message: 'half of\u0000it' }) + ping)])
    const { events } = follow(set)
    await until(() => events.length === 2)
    expect(events[0]).toEqual({
      kind: 'trouble',
      reason: 'stream-error-event',
      message: 'The service reported: half of\uFFFDit',
    })
    expect(set.streams()).toHaveLength(1)
  })
})

describe('an event over the cap', () => {
  const large = `event: open-assets\nid: 7\ndata: ${'x'.repeat(3 * 1024 * 1024)}`

  it.each(['\n', '\r', '\r\n'])('is skipped, and later ones are read on the same connection (%j)', async (end) => {
    const lines = (text: string) => text.replaceAll('\n', end)
    const set = await setUp([sends(lines(`${ready}${large}\ndata: and on\n\n${snapshot('a')}${ping}: the end\n`))])
    const { events, kinds } = follow(set)
    await until(() => events.length >= 4)
    expect(kinds().filter((kind) => kind !== 'heartbeat')).toEqual(['ready', 'trouble', 'snapshot'])
    expect(events[1]).toMatchObject({ reason: 'event-too-large' })
    expect(events[1]).not.toHaveProperty('retryInMs')
    expect(set.streams()).toHaveLength(1)
  })

  it('is reported while it continues, and not stored', async () => {
    let written = 0
    const flood: Connection = (response) => {
      open(response)
      response.write('event: open-assets\ndata: ')
      const more = () => {
        if (response.destroyed || written > 16) return
        written++
        response.write('x'.repeat(1024 * 1024), () => setImmediate(more))
      }
      more()
    }
    const set = await setUp([flood])
    const { troubles } = follow(set)
    await until(() => troubles().length === 1)
    const before = process.memoryUsage().rss
    await until(() => written > 16)
    expect(troubles()).toMatchObject([{ reason: 'event-too-large' }])
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024)
  })

  it('may be one of too many parts', async () => {
    const set = await setUp([sends(event('open-assets', { ids: Array(90_000).fill(0), assets: [] }) + ping)])
    const { events } = follow(set)
    await until(() => events.length === 2)
    expect(events).toMatchObject([{ kind: 'trouble', reason: 'event-too-large' }, { kind: 'heartbeat' }])
  })
})

it('large events are read once in a while; those between are reported, and small ones are read at once', async () => {
  const large = event('open-assets', { ids: Array(8_000).fill('some-asset'), assets: [] })
  const stays = held(ready + large + large + snapshot('a'))
  const set = await setUp([stays.connection])
  const { events, kinds } = follow(set)
  await until(() => events.length === 4)
  expect(kinds()).toEqual(['ready', 'snapshot', 'unread', 'snapshot'])
  await set.clock.advance(LARGE_EVERY_MS)
  stays.stream!.write(large)
  await until(() => events.length === 5)
  expect(kinds().at(-1)).toBe('snapshot')
})

it('a large event that is not read is skipped as it arrives, before its end', async () => {
  const large = event('open-assets', { ids: Array(12_000).fill('some-asset'), assets: [] })
  const stays = held(ready + large + large.slice(0, 100 * 1024))
  const set = await setUp([stays.connection])
  const { events, kinds } = follow(set)
  await until(() => events.length === 3)
  expect(kinds()).toEqual(['ready', 'snapshot', 'unread'])
  stays.stream!.write(large.slice(100 * 1024) + snapshot('a'))
  await until(() => events.length === 4)
  expect(kinds().at(-1)).toBe('snapshot')
})
