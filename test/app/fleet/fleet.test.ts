import { describe, expect, it } from 'vitest'
import { Fleet } from '../../../src/app/fleet/fleet.js'
import { collectFleet } from '../../../src/app/fleet/fleet-metrics.js'
import { AttestdError } from '../../../src/core/errors.js'
import { type DaemonCard, readCard } from '../../../src/fleet/daemon-card.js'
import type { FleetState } from '../../../src/fleet/fleet-state.js'
import { memoryFleet } from '../../../src/fleet/memory-fleet.js'
import { sampleState } from '../../observe/console-parts.js'
import { cardOf, recentRow } from '../../support/fleet-cards.js'
import { ManualClock } from '../../support/manual-clock.js'
import { metricLines, newMetrics } from '../../support/metric-lines.js'

const card = (change: Partial<DaemonCard> = {}) => cardOf({ name: 'one:1', ...change })

const counts = async () => ({ waiting: 0, active: 0, delayed: 0, failed: 0, completed: 0 })

/** Daemons on one queue in memory. */
function newQueue() {
  const clock = new ManualClock()
  const fleet = memoryFleet(clock)
  let readings = 0
  const announced = fleet.announced
  fleet.announced = async () => {
    readings++
    return announced()
  }
  const queue = {
    fleet,
    isPaused: async () => false,
    retrying: async () => [],
    counts,
    waiting: async () => [],
  }
  const daemon = (name: string, change: Partial<DaemonCard> = {}) =>
    new Fleet({ queue, clock, name: () => name, card: () => card({ name, ...change }) })
  return { clock, fleet, daemon, readings: () => readings }
}

const named = async (fleet: Fleet) => (await fleet.daemons()).map(({ name, state }) => `${name} ${state}`)

const ROW = recentRow({ outcome: 'abstained', reason: 'media-too-small' })

describe('a daemon of a fleet', () => {
  it('lists itself before its first announcement, and the others by their announcements', async () => {
    const { clock, daemon } = newQueue()
    const [one, two] = [daemon('one:1'), daemon('two:1')]
    expect(await named(one)).toEqual(['one:1 alive'])
    await two.announce()
    clock.tick(500)
    expect(await named(one)).toEqual(['one:1 alive', 'two:1 alive'])
    await two.leave()
    clock.tick(500)
    expect(await named(one)).toEqual(['one:1 alive'])
  })

  it('reads the queue once for all callers within half a second', async () => {
    const { clock, daemon, readings } = newQueue()
    const one = daemon('one:1')
    await Promise.all([one.daemons(), one.daemons(), one.state(), one.state()])
    clock.tick(499)
    await one.state()
    expect(readings()).toBe(1)
    clock.tick(1)
    await Promise.all([one.state(), one.daemons()])
    expect(readings()).toBe(2)
  })

  it('reads again after a failed reading, once the half second is over', async () => {
    const { clock, daemon, fleet } = newQueue()
    const one = daemon('one:1')
    const announced = fleet.announced
    fleet.announced = () => Promise.reject(new AttestdError('queue-unreachable'))
    await expect(one.state()).rejects.toMatchObject({ reason: 'queue-unreachable' })
    fleet.announced = announced
    clock.tick(500)
    expect((await one.state()).daemons).toHaveLength(1)
  })

  it('shows its own changes at once, since its card is built with every reading', async () => {
    const { clock, fleet } = newQueue()
    const own = { reasons: [] as string[] }
    const queue = { fleet, isPaused: async () => false, counts, waiting: async () => [], retrying: async () => [] }
    const one = new Fleet({ queue, clock, name: () => 'one:1', card: () => card(own) })
    await one.announce()
    own.reasons = ['stake-low']
    expect((await one.daemons())[0]?.reasons).toEqual(['stake-low'])
  })

  it('stores rows under its name; a failure to store one is harmless', async () => {
    const { daemon, fleet } = newQueue()
    const row = { ...ROW, message: 'x'.repeat(1000) }
    const one = daemon('one:1')
    one.keep(row)
    const [kept] = await one.rows(10)
    expect(kept).toMatchObject({ assetId: 'a', daemon: 'one:1' })
    expect(kept?.message).toHaveLength(300)
    fleet.append = () => Promise.reject(new AttestdError('queue-unreachable'))
    one.keep(row)
    await one.announce()
    expect(await one.records()).toHaveLength(1)
  })

  it('stores all rows of a second together with its announcement, and the last ones when it ends', async () => {
    const { daemon, fleet } = newQueue()
    const appended: number[] = []
    const { append } = fleet
    fleet.append = (texts) => {
      appended.push(texts.length)
      return append(texts)
    }
    const [one, two] = [daemon('one:1'), daemon('two:1')]
    for (const assetId of ['a', 'b', 'c']) one.keep({ ...ROW, assetId })
    expect(await two.rows(10)).toEqual([])
    await one.announce()
    await one.announce()
    expect((await two.rows(10)).map(({ assetId }) => assetId)).toEqual(['c', 'b', 'a'])
    one.keep({ ...ROW, assetId: 'd' })
    await one.leave()
    expect((await two.rows(1)).map(({ assetId }) => assetId)).toEqual(['d'])
    expect(appended).toEqual([3, 1])
  })
})

describe('the announcement of a daemon', () => {
  it('is read as written; fields of a later release are dropped', () => {
    const own = card({ selection: null, canaries: [] })
    expect(readCard(JSON.stringify({ ...own, more: 1 }))).toEqual(own)
  })

  it.each<[string, object]>([
    ['a name that is too long', { name: 'x'.repeat(301) }],
    ['half a pid', { pid: 1.5 }],
    ['too many roles', { roles: Array.from({ length: 11 }, () => 'analyze') }],
    ['a negative pace', { jobsPerSecond: { analyze: -1, submit: null } }],
    ['no word on stopping', { stopping: undefined }],
    ['too many reasons', { reasons: Array.from({ length: 51 }, () => 'x') }],
    ['a detector without a digest', { detectors: [{ id: 'a', version: '1', shadow: false }] }],
  ])('with %s is ignored', (_, change) => {
    expect(readCard(JSON.stringify({ ...card(), ...change }))).toBeNull()
  })
})

describe('the metrics of a fleet', () => {
  const state = sampleState().fleet as FleetState

  async function exported(...states: (FleetState | null)[]): Promise<string> {
    const metrics = newMetrics()
    let reading = async (): Promise<FleetState> => state
    metrics.beforeScrape(() => collectFleet({ state: () => reading() }, metrics))
    for (const one of states) {
      reading = () => (one ? Promise.resolve(one) : Promise.reject(new AttestdError('queue-unreachable')))
      await metrics.text()
    }
    return (await metricLines(metrics, /^attestd_(fleet|waiting|drain|deadline)/)).join('\n')
  }

  it('report the daemons, their differences and the backlog, no time to drain where it is unknown, and no detectors of a lost daemon', async () => {
    const text = await exported(state)
    expect(text).toContain('attestd_fleet_daemons{state="alive"} 1')
    expect(text).toContain('attestd_fleet_daemons{state="lost"} 1')
    expect(text).toContain('attestd_fleet_daemons{state="stopping"} 0')
    expect(text).toContain('attestd_fleet_mixed{what="version"} 1')
    expect(text).toContain('attestd_waiting_jobs{queue="analyze-image",turnaround="priority_5min"} 14')
    expect(text).toContain('attestd_waiting_oldest_seconds{queue="analyze-image",turnaround="priority_5min"} 65')
    expect(text).toContain('attestd_waiting_oldest_seconds{queue="analyze-image",turnaround="standard"} 0')
    expect(text).toContain('attestd_deadline_misses_ahead 14')
    expect(text.match(/^attestd_drain_seconds.*$/gm)).toEqual(['attestd_drain_seconds{queue="analyze-image"} 600'])
    const infos = text.match(/^attestd_fleet_detector_info.*$/gm) ?? []
    expect(infos).toHaveLength(state.daemons.find((one) => one.state === 'alive')?.detectors.length ?? 0)
    expect(infos.every((line) => line.includes('daemon="machine-alive'))).toBe(true)
  })

  it('end with a daemon that is gone, and all of them while the queue is unreachable', async () => {
    const alone = { ...state, daemons: [], mixed: { versions: [], detectors: [], fingerprints: [] } }
    const text = await exported(state, alone)
    expect(text).not.toContain('attestd_fleet_last_seen')
    expect(text).toContain('attestd_fleet_mixed{what="version"} 0')
    expect(await exported(state, null)).toBe('')
  })
})
