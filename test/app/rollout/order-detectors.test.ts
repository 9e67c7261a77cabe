import { describe, expect, it } from 'vitest'
import { type DetectorOrder, type DetectorRequest, readOrder } from '../../../src/app/rollout/detector-order.js'
import { DetectorSelection } from '../../../src/app/rollout/detector-selection.js'
import { orderDetectors } from '../../../src/app/rollout/order-detectors.js'
import { orderFollower } from '../../../src/app/rollout/ordering.js'
import { AttestdError } from '../../../src/core/errors.js'
import { silentLog } from '../../../src/core/log.js'
import type { DaemonCard } from '../../../src/fleet/daemon-card.js'
import { knownDaemons } from '../../../src/fleet/known-daemons.js'
import { memoryFleet } from '../../../src/fleet/memory-fleet.js'
import { MemoryClaims } from '../../../src/queue/claims.js'
import { cardOf } from '../../support/fleet-cards.js'
import { ManualClock, settle } from '../../support/manual-clock.js'
import { folderForTest } from '../../support/temporary-folder.js'

type Selection = NonNullable<DaemonCard['selection']>

const RELOAD: DetectorRequest = { kind: 'reload', detectors: 'b' }
const idle: Selection = { setting: 'a', chosen: null, order: null, outcome: 'done', message: '', lost: [] }

const card = (name: string, selection: Selection | null = idle, roles = ['analyze']) =>
  cardOf({ name, roles, selection })

/** A queue in memory, and the daemons on it, which answer as the test says. */
function bench(...cards: DaemonCard[]) {
  const clock = new ManualClock()
  const fleet = memoryFleet(clock)
  const claims = new MemoryClaims(clock)
  const known = new Map(cards.map((one) => [one.name, one]))
  const self = card('console:1', null, ['intake'])
  const daemons = async () => {
    const announced = [...known].map(([id, one]) => ({ id, text: JSON.stringify(one), agoMs: 10 }))
    return knownDaemons(announced, { id: 'self', card: self })
  }
  const placed = { orders: 0 }
  const give = (request: DetectorRequest, before: DetectorOrder | null = null) =>
    orderDetectors(request, {
      queue: { fleet, claims },
      fleet: { daemons },
      clock,
      known: before,
      onPlaced: () => placed.orders++,
    })
  const current = async () => readOrder(await fleet.order())
  return {
    clock,
    claims,
    fleet,
    known,
    give,
    current,
    placed: () => placed.orders,
    /** A daemon says how it stands to the order that lies on the queue. */
    async answer(name: string, change: Partial<Selection> = {}) {
      const order = (await current())?.id ?? null
      known.set(name, card(name, { ...idle, order, ...change }))
    },
    async untilPlaced() {
      while (placed.orders === 0) await settle()
    },
  }
}

describe('an order to all daemons', () => {
  it('ends when every analyzing daemon has answered, with the answer of each', async () => {
    const { answer, clock, current, give, untilPlaced } = bench(
      card('one:1'),
      card('two:1'),
      card('sub:1', null, ['submit']),
    )
    const giving = give(RELOAD)
    await untilPlaced()
    expect(await current()).toMatchObject({ chosen: 'b', before: [null], settings: ['a'] })
    await answer('one:1', { lost: ['audio'] })
    await clock.untilSleeping()
    await clock.advance(500)
    await clock.untilSleeping()
    await answer('two:1', { outcome: 'manifest-invalid', message: 'no such file' })
    await clock.advance(500)
    expect(await giving).toEqual([
      { daemon: 'one:1', outcome: 'done', message: '', lost: ['audio'] },
      { daemon: 'two:1', outcome: 'manifest-invalid', message: 'no such file', lost: [] },
    ])
    expect((await current())?.chosen).toBe('b')
  })

  it('that no daemon could follow is withdrawn, with the reason of the first', async () => {
    const { answer, clock, current, give, untilPlaced } = bench(card('one:1'), card('two:1'))
    const giving = give(RELOAD, { id: 'old', chosen: 'c', before: [null], settings: ['a'] })
    const failed = expect(giving).rejects.toMatchObject({ reason: 'manifest-invalid', message: 'first' })
    await untilPlaced()
    expect(await current()).toMatchObject({ chosen: 'b', before: ['c'] })
    await answer('one:1', { outcome: 'manifest-invalid', message: 'first' })
    await answer('two:1', { outcome: 'detector-start-failed', message: 'second' })
    await clock.advance(500)
    await failed
    expect(await current()).toMatchObject({ chosen: 'c', before: [null] })
  })

  it('is refused where no daemon analyzes', async () => {
    const { fleet, give, known } = bench(card('sub:1', null, ['submit']))
    await expect(give(RELOAD)).rejects.toMatchObject({ reason: 'workers-missing' })
    known.set('gone:1', { ...card('gone:1'), stopping: true })
    await expect(give(RELOAD)).rejects.toMatchObject({ reason: 'workers-missing' })
    expect(await fleet.order()).toBeNull()
  })

  it('is refused where there is no earlier selection, and leaves the queue free for the next order', async () => {
    const { claims, give } = bench(card('one:1'))
    await expect(give({ kind: 'rollback' })).rejects.toMatchObject({ reason: 'setting-invalid' })
    expect(await claims.take('detector-order', 'another', 1000)).toBe(true)
  })

  it('uses the record of the daemon where the queue lost its own, and otherwise that of the queue', async () => {
    const kept: DetectorOrder = { id: 'k', chosen: 'kept', before: ['first'], settings: ['a'] }
    const forgotten = bench(card('one:1'))
    const back = forgotten.give({ kind: 'rollback' }, kept)
    await forgotten.untilPlaced()
    expect(await forgotten.current()).toMatchObject({ chosen: 'first', before: [] })
    await forgotten.answer('one:1')
    await forgotten.clock.advance(500)
    await back
    const remembered = bench(card('one:1'))
    await remembered.fleet.setOrder(JSON.stringify({ ...kept, before: ['from the queue'] }))
    const again = remembered.give({ kind: 'rollback' }, kept)
    await remembered.untilPlaced()
    expect((await remembered.current())?.chosen).toBe('from the queue')
    await remembered.answer('one:1')
    await remembered.clock.advance(500)
    await again
  })
})

describe('a daemon that does not answer', () => {
  it.each<[string, (known: Map<string, DaemonCard>) => void]>([
    ['because it is gone', (known) => known.delete('two:1')],
    ['because it stops', (known) => known.set('two:1', { ...card('two:1'), stopping: true })],
  ])('%s is not waited for', async (_, change) => {
    const { answer, clock, give, known, untilPlaced } = bench(card('one:1'), card('two:1'))
    const giving = give(RELOAD)
    await untilPlaced()
    await answer('one:1')
    change(known)
    await clock.advance(500)
    const message = 'It stopped, or was lost.'
    expect(await giving).toMatchObject([{ outcome: 'done' }, { daemon: 'two:1', outcome: 'no-answer', message }])
  })

  it('is waited for four and a half minutes, and then reported', async () => {
    const { answer, clock, give, untilPlaced } = bench(card('one:1'), card('two:1'))
    const giving = give(RELOAD)
    let over = false
    void giving.finally(() => {
      over = true
    })
    await untilPlaced()
    await answer('one:1')
    await clock.advance(269_000)
    expect(over).toBe(false)
    await clock.advance(2000)
    expect(await giving).toMatchObject([
      { outcome: 'done' },
      { outcome: 'no-answer', message: 'It did not answer in time.' },
    ])
  })

  it('is an error if it is the only one', async () => {
    const { clock, give, known, untilPlaced } = bench(card('one:1'))
    const failed = expect(give(RELOAD)).rejects.toMatchObject({
      reason: 'workers-missing',
      message: 'one:1: It stopped, or was lost.',
    })
    await untilPlaced()
    known.delete('one:1')
    await clock.advance(500)
    await failed
  })
})

describe('two orders at the same time', () => {
  it('are given one after the other', async () => {
    const { answer, clock, claims, give, placed, untilPlaced } = bench(card('one:1'))
    expect(await claims.take('detector-order', 'another', 60_000)).toBe(true)
    const giving = give(RELOAD)
    await clock.untilSleeping()
    expect(placed()).toBe(0)
    await claims.release('detector-order', 'another')
    await clock.advance(500)
    await untilPlaced()
    await answer('one:1')
    await clock.advance(500)
    expect(await giving).toMatchObject([{ outcome: 'done' }])
  })

  it('do not wait for each other forever', async () => {
    const { claims, clock, give } = bench(card('one:1'))
    await claims.take('detector-order', 'another', 10 * 60_000)
    const refused = expect(give(RELOAD)).rejects.toMatchObject({
      reason: 'setting-invalid',
      message: 'Another models reload is still under way.',
    })
    await clock.untilSleeping()
    await clock.advance(271_000)
    await refused
  })
})

describe('a daemon that follows orders', () => {
  async function follower() {
    const dataDir = await folderForTest()
    const fleet = memoryFleet(new ManualClock())
    const selection = await DetectorSelection.open({ dataDir, detectors: [{ id: 'a' }] }, silentLog)
    const loaded: string[] = []
    let announced = 0
    const look = orderFollower({
      queue: { fleet },
      selection,
      reload: async (choices) => {
        loaded.push(choices.map(({ id }) => id).join(','))
        await settle()
        return []
      },
      announce: async () => void announced++,
    })
    return { fleet, look, loaded, announced: () => announced }
  }
  const order = (id: string, chosen: string) => JSON.stringify({ id, chosen, before: [], settings: ['a'] })

  it('announces itself after each order, so that nobody waits for its next announcement', async () => {
    const { announced, fleet, loaded, look } = await follower()
    await look()
    expect([loaded, announced()]).toEqual([[], 0])
    await fleet.setOrder(order('1', 'b'))
    await look()
    await look()
    expect([loaded, announced()]).toEqual([['b'], 1])
  })

  it('reads one order at a time', async () => {
    const { fleet, loaded, look } = await follower()
    await fleet.setOrder(order('1', 'b'))
    await Promise.all([look(), look(), look()])
    expect(loaded).toEqual(['b'])
    await fleet.setOrder(order('2', 'c'))
    await look()
    expect(loaded).toEqual(['b', 'c'])
  })

  it('continues after the queue was unreachable', async () => {
    const { fleet, loaded, look } = await follower()
    const { order: present } = fleet
    fleet.order = () => Promise.reject(new AttestdError('queue-unreachable'))
    await look()
    fleet.order = present
    await fleet.setOrder(order('1', 'b'))
    await look()
    expect(loaded).toEqual(['b'])
  })
})
