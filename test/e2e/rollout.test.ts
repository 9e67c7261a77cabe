import fs from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { isOfShare } from '../../src/detect/host/lineup.js'
import { attestdVerb } from '../support/attestd-verb.js'
import { benchOfTest } from '../support/bench-of-test.js'
import type { DaemonUnderTest } from '../support/daemon-under-test.js'
import { writeTinyPackage } from '../support/detector-package.js'
import { findRedisServer } from '../support/redis-server.js'

/** A bench with a second package beside `tiny-image`. */
async function newBench() {
  const bench = await benchOfTest()
  await writeTinyPackage(path.join(bench.folder, 'models'), { id: 'other' })
  const models = (verb: string, args: readonly string[] = [], name = 'main') =>
    attestdVerb(['models', verb, '--data-dir', path.join(bench.folder, name), ...args], {
      ATTESTD_MODELS_DIR: path.join(bench.folder, 'models'),
      ATTESTD_DETECTORS: 'tiny-image',
    })
  return { bench, models }
}

/** Ids of the detectors that a daemon works with. */
async function inUse(daemon: DaemonUnderTest): Promise<string> {
  const { detectors } = JSON.parse((await daemon.get('/status')).text) as { detectors: { id: string }[] }
  return detectors.map(({ id }) => id).join()
}

it('a reload survives a restart, a rollback ends it, and a changed setting overrides it', async () => {
  const { bench, models } = await newBench()
  const setting = { ATTESTD_DETECTORS: 'tiny-image' }
  const first = await bench.startHere(setting).ready()
  expect(await models('rollback')).toMatchObject({ code: 78, err: expect.stringContaining('no selection before') })
  expect(await models('reload', ['--detectors', 'other'])).toMatchObject({ code: 0 })
  expect(await inUse(first)).toBe('other')
  await first.drain()

  const again = await bench.startHere(setting).ready()
  expect(await inUse(again)).toBe('other')
  expect((await models('list')).out).toMatch(
    /other .*scores, weight 1.*[\s\S]*tiny-image .*not in use[\s\S]*by models reload: other;/,
  )
  expect((await attestdVerb(['status', '--data-dir', path.join(bench.folder, 'main')], {})).out).toContain(
    'detectors by models reload: other; until ATTESTD_DETECTORS (now tiny-image) is changed, or models rollback',
  )
  expect(await models('rollback')).toMatchObject({ code: 0, out: expect.stringContaining('tiny-image') })
  expect(await inUse(again)).toBe('tiny-image')
  await models('reload', ['--detectors', 'other'])
  await again.drain()

  const changed = await bench.startHere({ ATTESTD_DETECTORS: 'tiny-image=2' }).ready()
  expect(await inUse(changed)).toBe('tiny-image')
  expect(changed.log.map(({ msg }) => msg)).toContain('ATTESTD_DETECTORS changed, overriding the last reload')
  await changed.drain()
})

describe.skipIf(findRedisServer() === null)('on a fleet', () => {
  it('an order reaches all analyzing daemons; one without the package keeps the old detectors and is named', async () => {
    const { bench, models } = await newBench()
    const redis = await bench.redis()
    const poor = path.join(bench.folder, 'poor-models')
    await writeTinyPackage(poor)
    const start = (name: string, roles: string, changes: Record<string, string> = {}) =>
      bench.startHere(
        { ATTESTD_QUEUE_URL: redis.url, ATTESTD_ROLES: roles, ATTESTD_DETECTORS: 'tiny-image', ...changes },
        name,
      )
    const front = start('front', 'intake,submit')
    const [one, two] = [start('one', 'analyze'), start('two', 'analyze', { ATTESTD_MODELS_DIR: poor })]
    await Promise.all([front, one, two].map((daemon) => daemon.ready()))
    await bench.until('a front that knows both', async () => {
      const { fleet } = JSON.parse((await front.get('/status')).text) as { fleet: { daemons: unknown[] } }
      return fleet.daemons.length === 3
    })
    const { code, out } = await models('reload', ['--detectors', 'other'], 'front')
    expect(out).toMatch(/done[\s\S]*setting-invalid +Unknown detector|setting-invalid +Unknown detector[\s\S]*done/)
    expect(code).toBe(1)
    expect([await inUse(one), await inUse(two)]).toEqual(['other', 'tiny-image'])

    // One that starts later with the same setting and nothing of its own follows, too.
    const late = await start('late', 'analyze').ready()
    await bench.until('one that follows', async () => (await inUse(late)) === 'other')
    const later = await start('later', 'analyze', { ATTESTD_DETECTORS: 'tiny-image=2' }).ready()
    expect(await inUse(later)).toBe('tiny-image')

    await fs.rm(path.join(bench.folder, 'models', 'other'), { recursive: true })
    expect(await models('rollback', [], 'late')).toMatchObject({ code: 0 })
    expect(await Promise.all([one, two, late].map(inUse))).toEqual(['tiny-image', 'tiny-image', 'tiny-image'])
    expect(await models('reload', ['--detectors', 'other'], 'front')).toMatchObject({
      code: 78,
      err: expect.stringContaining('Unknown detector'),
    })
  })
})

it('a canary scores the same share of the assets each time, and is compared with the active detectors', async () => {
  const { bench, models } = await newBench()
  await writeTinyPackage(path.join(bench.folder, 'models'), {
    id: 'candidate',
    manifest: {
      calibration: { kind: 'platt', slope: 1, intercept: -40 },
      selfTest: { file: 'selftest.png', risk: 0, tolerance: 0.01 },
    },
  })
  const daemon = await bench.startHere({ ATTESTD_DETECTORS: 'tiny-image,candidate=canary:50' }).ready()
  const assets = await bench.registerMany(10, 'canary')
  await bench.expectExactlyOneEach()
  const drawn = assets.filter(({ contentHash }) => isOfShare(contentHash, 50)).map(({ id }) => id)
  const scoredBy = (id: string) =>
    bench.sandbox
      .scores()
      .filter(({ algorithm }) => algorithm === `${id}@1.0.0`)
      .map(({ assetId }) => assetId)
  expect(drawn.length).toBeGreaterThan(0)
  expect(drawn.length).toBeLessThan(10)
  expect(scoredBy('candidate').sort()).toEqual(drawn.sort())
  expect(scoredBy('tiny-image')).toHaveLength(10 - drawn.length)
  await bench.until(
    'the comparison of each',
    async () => (await daemon.metric('attestd_canary_results_total')) === drawn.length,
  )
  const agreeing = await daemon.metric('attestd_canary_results_total', 'outcome="agrees"')
  const line = `candidate@1.0.0 on image against tiny-image@1.0.0: ${drawn.length} compared, ${agreeing} agree at risk 50`
  expect((await daemon.get('/')).text).toContain(line)
  expect(await daemon.metric('attestd_canary_mean_risk_difference_percent')).toBeLessThan(0)
  expect(await daemon.metric('attestd_canary_seconds_count', 'by="in-charge"')).toBe(drawn.length)
  await bench.until('the fleet to know', async () => (await models('canary')).out.startsWith(line))
  // The settings of the verb name tiny-image alone: the daemon at work states its own.
  const { out } = await models('list')
  expect(out).toContain('canary, 50 % of the assets')
  expect(out).toContain('detectors by ATTESTD_DETECTORS: tiny-image,candidate=canary:50')
})
