import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { fleetState } from '../../../src/fleet/fleet-state.js'
import type { Role } from '../../../src/observe/metrics/metric-entry.js'
import { METRIC_GROUPS } from '../../../src/observe/metrics/metric-table.js'
import { attestdVerb } from '../../support/attestd-verb.js'
import { DaemonBench } from '../../support/daemon-bench.js'
import type { DaemonUnderTest } from '../../support/daemon-under-test.js'
import { writeTinyPackage } from '../../support/detector-package.js'
import { tellsTheSame } from '../../support/one-story.js'
import { findRedisServer } from '../../support/redis-server.js'

/** A bench with a Redis, and its daemons by role. */
async function newFleet() {
  const bench = await DaemonBench.create()
  onTestFinished(() => bench.dispose())
  const redis = await bench.redis()
  const settings = (roles: string) => ({ ATTESTD_QUEUE_URL: redis.url, ATTESTD_ROLES: roles })
  const start = (name: string, roles: string, changes: Record<string, string> = {}) =>
    bench.startHere({ ...settings(roles), ...changes }, name)
  const startProcess = (name: string, roles: string) => bench.start(settings(roles), name)
  return { bench, redis, start, startProcess }
}

async function fleetOf(daemon: DaemonUnderTest) {
  return fleetState.parse(JSON.parse((await daemon.get('/status')).text).fleet)
}

/** Roles and state of each daemon that this one knows, sorted. */
async function known(daemon: DaemonUnderTest): Promise<string[]> {
  const { daemons } = await fleetOf(daemon)
  return daemons.map(({ roles, state }) => `${roles.join('+')} ${state}`).sort()
}

/** Whether a daemon with these roles may export the series. */
function isOf(series: string, held: readonly Role[]): boolean {
  const name = series.replace(/_(bucket|sum|count)$/, '')
  const group = METRIC_GROUPS.find(({ metrics }) => Object.values(metrics).some((one) => one.name === name))
  return !group?.roles || group.roles.some((role) => held.includes(role))
}

describe.skipIf(findRedisServer() === null)('daemons on one Redis', () => {
  it('report 30 assets that wait without a worker as one event, until a worker returns', async () => {
    const { bench, start, startProcess } = await newFleet()
    const front = start('front', 'intake,submit')
    const worker = startProcess('worker', 'analyze')
    await Promise.all([front.ready(), worker.ready()])
    await bench.until('two that know each other', async () => (await known(front)).length === 2)
    await worker.kill9()
    await bench.registerMany(30, 'waiting', { turnaround: 'priority_5min' })
    await bench.until('one story', () => tellsTheSame(front, 'workers', 'workers-missing'))
    const missed = () => front.metric('attestd_deadline_misses_ahead')
    await bench.until('all that wait', async () => (await missed()) === 30)

    expect(await known(front)).toEqual(['analyze lost', 'intake+submit alive'])
    expect(await front.metric('attestd_fleet_daemons', 'state="lost"')).toBe(1)
    expect(await front.metric('attestd_waiting_jobs', 'queue="analyze-image"', 'turnaround="priority_5min"')).toBe(30)
    expect(await front.metric('attestd_unserved_jobs', 'queue="analyze-image"')).toBe(30)
    expect((await front.get('/')).text).toContain('30 assets will miss the deadline at this rate.')
    const verb = await attestdVerb(['status', '--fleet', '--data-dir', path.join(bench.folder, 'front')], {})
    expect(verb.code).toBe(1)
    expect(verb.out).toMatch(/analyze +lost +\d/)
    expect(verb.out).toContain('analyze-image priority_5min: 30 waiting, the oldest for')
    expect(verb.out).toContain('time to drain: analyze-image not known')
    expect(verb.out).toContain(
      '30 assets of kind image wait, and no daemon on this queue has a detector for image and a disk',
    )
    expect(verb.out).toContain('30 assets will miss the deadline at this rate.')

    const own = await attestdVerb(['status', '--data-dir', path.join(bench.folder, 'front')], {})
    expect(own.out).toMatch(/^✗ workers .*\[workers-missing\]\n {2}fix {8}Start a daemon/m)

    await start('worker-again', 'analyze').ready()
    await front.ready()
    await bench.expectExactlyOneEach()
    await bench.until('none that waits', async () => (await missed()) === 0)
    expect(await front.metric('attestd_unserved_jobs', 'queue="analyze-image"')).toBe(0)
  })

  it('each list all daemons, point out different detectors, and show recent activity of all', async () => {
    const { bench, redis, start } = await newFleet()
    const others = path.join(bench.folder, 'other-models')
    await writeTinyPackage(others, { manifest: { version: '2.0.0' } })
    const front = start('front', 'intake,submit')
    const workers = [start('one', 'analyze'), start('two', 'analyze', { ATTESTD_MODELS_DIR: others })]
    const all = [front, ...workers]
    await Promise.all(all.map((daemon) => daemon.ready()))
    const everyone = ['analyze alive', 'analyze alive', 'intake+submit alive']
    for (const daemon of all) {
      await bench.until('one that knows all', async () => (await known(daemon)).join() === everyone.join())
      const { mixed } = await fleetOf(daemon)
      expect(mixed).toEqual({ versions: [], detectors: ['tiny-image'], fingerprints: [] })
      expect(await daemon.metric('attestd_fleet_mixed', 'what="detectors"')).toBe(1)
      expect(await daemon.metric('attestd_fleet_detector_info')).toBe(2)
    }

    await bench.registerMany(3, 'shared')
    await bench.expectExactlyOneEach()
    // What only the others do is no series of a daemon, not even a 0.
    const split = [
      { daemon: workers[0]!, held: ['analyze'] },
      { daemon: front, held: ['intake', 'submit'] },
    ] as const
    for (const { daemon, held } of split) {
      const scraped = (await daemon.get('/metrics')).text
      expect(scraped.match(/^attestd_\w+/gm)!.filter((series) => !isOf(series, held))).toEqual([])
      expect(scraped).toMatch(/^attestd_queue_depth\{queue="submit",state="waiting"\} 0$/m)
    }
    for (const worker of workers) {
      const rows = () => worker.get('/status').then(({ text }) => JSON.parse(text).recent as { outcome: string }[])
      await bench.until('three receipts', async () => (await rows()).length === 3)
      expect((await rows()).map(({ outcome }) => outcome)).toEqual(['accepted', 'accepted', 'accepted'])
      expect((await worker.get('/')).text).not.toContain('Nothing yet.')
    }

    await workers[1]!.drain()
    await bench.until('one that left', async () => (await known(front)).join() === 'analyze alive,intake+submit alive')

    await redis.kill9()
    await bench.until('one story', () => tellsTheSame(front, 'workers', 'queue-unreachable'))
    expect((await front.get('/')).text).toContain('The queue does not answer.')
    expect(JSON.parse((await front.get('/status')).text)).toMatchObject({ fleet: null, queues: [] })
    // What is not known is no series, and never a good-looking 0.
    expect((await front.get('/metrics')).text).not.toMatch(/^attestd_(queue_depth|fleet|waiting|drain|deadline)/m)
  })
})
