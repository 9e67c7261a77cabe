import { describe, expect, it, onTestFinished } from 'vitest'
import { RETRY_AFTER_CAP_MS, STABLE_MS } from '../../src/service/stream-reader.js'
import { LocalServer, sendJson } from './local-service.js'
import {
  answers,
  type Connection,
  cuts,
  follow,
  held,
  IDLE_MS,
  open,
  ping,
  ready,
  STREAM,
  sends,
  setUp,
  snapshot,
  TIMEOUT_MS,
  until,
  waitOut,
} from './stream-harness.js'

describe('the end of a connection', () => {
  it.each([
    ['a cut', cuts(`id: 41\n${ready}`)],
    [
      'an orderly end',
      ((response) => {
        open(response)
        response.end(`id: 41\n${ready}`)
      }) as Connection,
    ],
  ])('by %s leads to a new one, signed again, that names the last event', async (_, first) => {
    const set = await setUp([first, sends(ready)])
    const { events, kinds } = follow(set)
    await until(() => events.length === 2)
    expect(events[1]).toMatchObject({ kind: 'trouble', reason: 'stream-ended', retryInMs: 375 })
    await set.clock.untilSleeping()
    await set.clock.advance(374)
    expect(set.streams()).toHaveLength(1)
    await set.clock.advance(1)
    await until(() => events.length === 3)
    expect(kinds()).toEqual(['ready', 'trouble', 'ready'])
    const [one, two] = set.streams()
    expect(one?.headers['last-event-id']).toBeUndefined()
    expect(two?.headers['last-event-id']).toBe('41')
    expect(Number(two?.headers['service-timestamp'])).toBeGreaterThan(Number(one?.headers['service-timestamp']))
    expect(two?.headers['service-signature']).not.toBe(one?.headers['service-signature'])
  })

  it('loses the incomplete event', async () => {
    const set = await setUp([cuts(`${ready}event: ping\ndata: {"t":1}\n`), sends(ready)])
    const { events, kinds } = follow(set)
    await until(() => events.length === 2)
    expect(kinds()).toEqual(['ready', 'trouble'])
  })

  it('by silence comes after the idle limit, which any byte extends', async () => {
    const open = held(ready)
    const set = await setUp([open.connection])
    const { events, kinds, troubles } = follow(set)
    await until(() => events.length === 1)
    await set.clock.untilSleeping()
    await set.clock.advance(IDLE_MS - 1)
    open.stream!.write(': still here\n')
    await until(() => events.length === 2)
    await set.clock.untilSleeping()
    await set.clock.advance(IDLE_MS - 1)
    // A byte that completes nothing counts as well.
    const before = set.clock.naps
    open.stream!.write('e')
    await until(() => set.clock.naps > before)
    await set.clock.advance(IDLE_MS - 1)
    expect(kinds()).toEqual(['ready', 'heartbeat'])
    await set.clock.advance(1)
    await until(() => troubles().length === 1)
    expect(troubles()).toMatchObject([{ reason: 'stream-silent' }])
  })

  it('is detected after three of its own heartbeats, on a service that hangs', async () => {
    const open = held(ready)
    const set = await setUp([open.connection])
    const { events, troubles } = follow(set)
    await until(() => events.length === 1)
    for (const beats of [1, 2, 3, 4]) {
      await set.clock.untilSleeping()
      await set.clock.advance(4000)
      open.stream!.write(': beat\n\n')
      await until(() => events.length === 1 + beats)
    }
    await set.clock.untilSleeping()
    await set.clock.advance(11_999)
    expect(troubles()).toEqual([])
    await set.clock.advance(1)
    await until(() => troubles().length === 1)
    expect(troubles()).toMatchObject([{ reason: 'stream-silent' }])
  })

  it('does not cause a hot loop with retry: 0', async () => {
    const set = await setUp([cuts(`retry: 0\n${ready}`)])
    const { troubles } = follow(set)
    await until(() => troubles().length === 1)
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(set.streams()).toHaveLength(1)
    expect(set.clock.sleeping).toBe(1)
  })
})

describe('the wait before a new connection', () => {
  it('doubles up to a cap, and starts over only after a stable connection', async () => {
    const stays = held(ready)
    const set = await setUp([...Array.from({ length: 8 }, () => cuts(ready)), stays.connection, cuts('')])
    const { events, troubles } = follow(set)
    const waits: number[] = []
    for (let at = 1; at <= 8; at++) {
      await until(() => troubles().length === at)
      waits.push(await waitOut(set, troubles))
    }
    expect(waits).toEqual([375, 750, 1_500, 3_000, 6_000, 12_000, 22_500, 22_500])
    await until(() => events.at(-1)?.kind === 'ready')
    await set.clock.advance(STABLE_MS)
    stays.stream!.destroy()
    await until(() => troubles().length === 9)
    expect(troubles().at(-1)?.retryInMs).toBe(375)
  })

  it.each([
    [429, { 'retry-after': '7' }, 'service-rate-limited', 7_000],
    [503, { 'retry-after': '7' }, 'service-failing', 7_000],
    [503, { 'retry-after': '0' }, 'service-failing', 375],
    [503, { 'retry-after': 'later' }, 'service-failing', 375],
    [429, { 'retry-after': '999999' }, 'service-rate-limited', RETRY_AFTER_CAP_MS],
    [500, {}, 'service-failing', 375],
    [403, {}, 'service-forbidden', 375],
    [404, {}, 'service-refused', 375],
    [204, {}, 'service-reply-invalid', 375],
  ])('after %d with %j: %s, %d ms', async (status, headers, reason, retryInMs) => {
    const set = await setUp([answers(status, headers), sends(ready)])
    const { events, troubles } = follow(set)
    await until(() => troubles().length === 1)
    expect(troubles()).toMatchObject([{ reason, retryInMs }])
    await waitOut(set, troubles)
    await until(() => events.at(-1)?.kind === 'ready')
  })

  it('is zero after a 401 caused by the clock', async () => {
    const first = held(ready)
    const set = await setUp([first.connection, sends(ready)])
    const { troubles, kinds } = follow(set)
    await until(() => kinds().length === 1)
    await set.clock.untilSleeping()
    await set.clock.advance(STABLE_MS)
    set.world.offset = 3_600_000
    first.stream!.destroy()
    await until(() => troubles().length === 1)
    await waitOut(set, troubles)
    await until(() => troubles().length === 2)
    expect(troubles()[1]).toMatchObject({ reason: 'service-unauthorized', retryInMs: 0 })
    await waitOut(set, troubles)
    await until(() => kinds().at(-1) === 'ready')
  })

  it('is the usual one after another 401', async () => {
    const set = await setUp([sends(ready)], { signingSecret: 'another' })
    const { troubles } = follow(set)
    await until(() => troubles().length === 1)
    expect(troubles()).toMatchObject([{ reason: 'service-unauthorized', retryInMs: 375 }])
  })

  it('follows a service whose time cannot be read, and one that is unreachable', async () => {
    const set = await setUp([sends(ready)])
    set.world.timeFails = true
    const { troubles, events } = follow(set)
    await until(() => troubles().length === 1)
    expect(troubles()).toMatchObject([{ reason: 'service-failing', retryInMs: 375 }])
    set.world.timeFails = false
    await waitOut(set, troubles)
    await until(() => events.at(-1)?.kind === 'ready')
    await set.server.stop()
    await until(() => troubles().length === 2)
    await waitOut(set, troubles)
    await until(() => troubles().length === 3)
    expect(troubles().map(({ reason }) => reason)).toEqual(['service-failing', 'stream-ended', 'service-unreachable'])
  })
})

describe('an answer that is no stream', () => {
  it('does not include any spelling and parameters of its content type', async () => {
    const type = 'Text/Event-Stream; charset=utf-8'
    const set = await setUp([
      (response) => {
        open(response, type)
        response.write(ready)
      },
    ])
    const { kinds } = follow(set)
    await until(() => kinds().length === 1)
    expect(kinds()).toEqual(['ready'])
  })

  it.each([301, 302, 307, 308])('is not searched for behind a redirect (%d)', async (status) => {
    const elsewhere = await LocalServer.start((_, response) => sendJson(response, 200, {}))
    onTestFinished(() => elsewhere.stop())
    const { troubles } = follow(await setUp([answers(status, { location: `${elsewhere.url}${STREAM}` })]))
    await until(() => troubles().length === 1)
    expect(troubles()).toMatchObject([
      { reason: 'service-redirected', message: expect.stringContaining(`${status} to ${elsewhere.url}`) },
    ])
    expect(elsewhere.seen).toEqual([])
  })

  it('is given up when no headers arrive', async () => {
    const set = await setUp([() => {}, sends(ready)])
    const { troubles, events } = follow(set)
    await until(() => set.streams().length === 1)
    await set.clock.untilSleeping()
    await set.clock.advance(TIMEOUT_MS)
    await until(() => troubles().length === 1)
    expect(troubles()).toMatchObject([{ reason: 'service-timeout' }])
    await waitOut(set, troubles)
    await until(() => events.at(-1)?.kind === 'ready')
  })
})

describe('the consumer', () => {
  it('that is slow slows the sender instead of filling the memory, and is not taken for silence', async () => {
    let written = 0
    const block = snapshot(...Array.from({ length: 100 }, (_, at) => `asset-${at}`))
    const set = await setUp([
      (response) => {
        open(response)
        const more = () => {
          if (response.destroyed) return
          written += block.length
          response.write(block, () => setImmediate(more))
        }
        more()
      },
    ])
    const events = set.service.watch(set.stop.signal)[Symbol.asyncIterator]()
    expect((await events.next()).value.kind).toBe('snapshot')
    let before = -1
    while (before !== written) {
      before = written
      await new Promise((resolve) => setTimeout(resolve, 300))
    }
    // What the sockets of this machine hold, and no more.
    expect(written).toBeLessThan(32 * 1024 * 1024)
    await set.clock.advance(10 * IDLE_MS)
    for (let at = 0; at < 200; at++) expect((await events.next()).value.kind).toBe('snapshot')
    await events.return?.()
  })

  it('that fails ends the stream and closes the connection', async () => {
    let closed = false
    const set = await setUp([
      (response) => {
        open(response)
        response.on('close', () => {
          closed = true
        })
        response.write(ready + ping)
      },
    ])
    const run = async () => {
      for await (const _ of set.service.watch(set.stop.signal)) throw new Error('handler')
    }
    await expect(run()).rejects.toThrow('handler')
    await until(() => closed)
    expect(set.clock.sleeping).toBe(0)
  })

  it.each([
    ['while it waits for an event', sends(ready), 1],
    ['while it waits for headers', (() => {}) as Connection, 0],
    ['while it waits for a new connection', answers(503), 1],
  ])('can end it %s', async (_, connection, count) => {
    const set = await setUp([connection])
    const { events, ended } = follow(set)
    await until(() => set.streams().length === 1 && events.length === count)
    await set.clock.untilSleeping()
    set.stop.abort(new Error('stopping'))
    await ended
    expect(events).toHaveLength(count)
    await until(() => set.clock.sleeping === 0)
  })

  it('gets at most one more event once it has ended, however many came at once', async () => {
    const set = await setUp([sends(ping.repeat(1000))])
    let seen = 0
    for await (const _ of set.service.watch(set.stop.signal)) {
      seen++
      set.stop.abort()
    }
    expect(seen).toBeLessThanOrEqual(2)
  })

  it('that has ended before the start gets nothing', async () => {
    const set = await setUp([sends(ready)])
    set.stop.abort()
    await follow(set).ended
    expect(set.server.seen).toEqual([])
  })
})
