import fs from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { attestdVerb } from '../support/attestd-verb.js'
import { benchOfTest } from '../support/bench-of-test.js'
import { type DaemonBench, image } from '../support/daemon-bench.js'
import { writeTinyPackage } from '../support/detector-package.js'

let bench: DaemonBench

/** Puts another version of the package in the place of the old one, as an operator does. */
async function install(version: string): Promise<void> {
  const made = await writeTinyPackage(path.join(bench.folder, 'made', version), { manifest: { version } })
  const place = path.join(bench.folder, 'models', 'tiny-image')
  await fs.rename(place, path.join(bench.folder, `before-${version}`))
  await fs.rename(made, place)
}

const dataDir = () => path.join(bench.folder, 'main')
const algorithms = () => bench.sandbox.scores().map(({ algorithm }) => algorithm)
const by = (version: string) => algorithms().filter((algorithm) => algorithm === `tiny-image@${version}`).length

it('a new version of a package takes over during a backlog, and no job is lost or fails', async () => {
  bench = await benchOfTest({ faults: { rules: [{ route: 'gateway', fault: 'slow', ms: 200 }] } })
  await bench.registerMany(12, 'swap')
  const daemon = await bench.startHere({ ATTESTD_ANALYZE_CONCURRENCY: '2' }).ready()
  await bench.until('a first score', () => bench.sandbox.scores().length > 0)
  await install('2.0.0')
  const { code, out } = await attestdVerb(['models', 'reload'], { ATTESTD_DATA_DIR: dataDir() })
  expect(out).toMatch(/^tiny-image +2\.0\.0 +image +scores, weight 1/m)
  expect(code).toBe(0)
  const later = await bench.registerMany(3, 'swap')
  await bench.expectExactlyOneEach()
  expect(by('1.0.0')).toBeGreaterThan(0)
  expect(by('2.0.0')).toBeGreaterThanOrEqual(later.length)
  expect(by('1.0.0') + by('2.0.0')).toBe(15)
  for (const { id } of later) {
    expect(bench.sandbox.scores().find(({ assetId }) => assetId === id)?.algorithm).toBe('tiny-image@2.0.0')
  }
  expect(await daemon.metric('attestd_detector_info', 'version="2.0.0"')).toBe(1)
  expect(await daemon.metric('attestd_detector_info', 'version="1.0.0"')).toBe(0)
  expect(daemon.log.filter(({ msg }) => msg === 'detectors were replaced')).toHaveLength(1)
  expect((await daemon.get('/status')).text).toContain('"version": "2.0.0"')
  expect((await daemon.get('/readyz')).status).toBe(200)
})

it('SIGHUP swaps too', async () => {
  bench = await benchOfTest()
  const daemon = await bench.start().ready()
  await install('2.0.0')
  daemon.signal('SIGHUP')
  const swaps = () => daemon.metric('attestd_detector_reloads_total', 'outcome="done"')
  await bench.until('the swap', async () => (await swaps()) === 1)
  await bench.register('hup')
  await bench.expectExactlyOneEach()
  expect(algorithms()).toEqual(['tiny-image@2.0.0'])
  expect(await daemon.drain()).toBe(0)
})

it('a shadow is measured on live work, recorded, shown, and never submitted', async () => {
  bench = await benchOfTest()
  const own = {
    calibration: { kind: 'platt', slope: 1, intercept: -40 },
    selfTest: { file: 'selftest.png', risk: 0, tolerance: 0.01 },
  }
  await writeTinyPackage(path.join(bench.folder, 'models'), { id: 'dark', manifest: { ...own, shadow: true } })
  const daemon = await bench.startHere({ ATTESTD_LOG_LEVEL: 'debug' }).ready()
  const measured = () => daemon.metric('attestd_shadow_results_total')
  for (let nth = 0; nth < 3; nth++) {
    await bench.register('shadow', { content: await image('shadow', nth) })
    await bench.expectExactlyOneEach()
    await bench.until('the shadow of each', async () => (await measured()) === nth + 1)
  }
  expect(algorithms()).toEqual(Array.from({ length: 3 }, () => 'tiny-image@1.0.0'))
  const entries = JSON.parse(
    (await attestdVerb(['scores', '--kind', 'shadow', '--format', 'json'], { ATTESTD_DATA_DIR: dataDir() })).out,
  ) as { risk: number; submittedRisk: number; algorithm: string; agrees: boolean; wouldChange: boolean }[]
  expect(entries).toHaveLength(3)
  for (const entry of entries) {
    expect(entry).toMatchObject({
      algorithm: 'dark@1.0.0',
      agrees: entry.submittedRisk <= 50,
      wouldChange: !entry.agrees,
    })
    expect(entry.risk).toBe(0)
  }
  const count = (agrees: boolean) => entries.filter((entry) => entry.agrees === agrees).length
  expect(await daemon.metric('attestd_shadow_results_total', 'outcome="agrees"')).toBe(count(true))
  expect(await daemon.metric('attestd_shadow_would_change_total')).toBe(count(false))
  expect(await daemon.metric('attestd_shadow_risk_difference_percent_count')).toBe(3)
  expect((await daemon.get('/')).text).toContain(`Shadow dark@1.0.0: 3 measured, ${count(true)} agree`)
  expect(daemon.log.filter(({ msg }) => msg === 'shadow was measured')).toHaveLength(3)
})
