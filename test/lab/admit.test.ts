import fs from 'node:fs/promises'
import path from 'node:path'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { dataPaths } from '../../src/app/data-dir.js'
import { admitModel } from '../../src/app/lab/admit-model.js'
import { admissionCheck } from '../../src/app/open/admission-check.js'
import { openDetectors } from '../../src/app/open/open-detectors.js'
import { verifyModels } from '../../src/app/verbs/models.js'
import { readAdmission } from '../../src/lab/admit/admission-record.js'
import { parseThresholds } from '../../src/lab/admit/thresholds.js'
import { labBenchForAll, labBenchIn } from '../support/lab-bench.js'
import { writeRemotePackage } from '../support/other-packages.js'
import { folderForTest } from '../support/temporary-folder.js'
import { withReason } from '../support/with-reason.js'

const bench = labBenchForAll()
let index: string
beforeAll(async () => {
  index = await bench.writePictures([
    { name: 'a.png', label: 'real', red: 20 },
    { name: 'b.png', label: 'real', red: 220 },
    { name: 'c.png', label: 'fake', red: 240 },
    { name: 'd.png', label: 'fake', red: 250 },
  ])
})

const options = (thresholds: object, data: string | null = index) => ({
  data,
  root: null,
  limit: null,
  prior: null,
  thresholds: parseThresholds(null, thresholds, ''),
  command: 'attestd models admit',
  signal: new AbortController().signal,
  onProgress: () => {},
})
const admit = (thresholds: object, data?: string | null) =>
  admitModel(bench.settings, 'tiny-image', options(thresholds, data))

/** A start of the daemon's detectors with these settings, ended at once. */
async function start(requireAdmission: boolean, requireOpenWeights = false): Promise<void> {
  const settings = { ...bench.settings, requireAdmission, requireOpenWeights }
  await (await openDetectors(settings, { workers: 1, ...admissionCheck(settings) })).close()
}

describe('models admit', () => {
  it('is required by a daemon whose settings ask for admission', async () => {
    await start(false)
    await expect(start(true)).rejects.toMatchObject({ reason: 'detector-not-admitted', kind: 'setup' })
  })

  it('is refused before any row is scored where the admission cannot be written', async () => {
    const onProgress = vi.fn()
    const settings = { ...bench.settings, dataDir: path.join(index, 'data') }
    const run = admitModel(settings, 'tiny-image', { ...options({ minAuc: 0.5 }), onProgress })
    await expect(run).rejects.toMatchObject({ reason: 'data-dir-unusable' })
    expect(onProgress).not.toHaveBeenCalled()
  })

  it('resumes an interrupted run with the rows already scored', async () => {
    const stop = new AbortController()
    const first = admitModel(bench.settings, 'tiny-image', {
      ...options({ minRows: 50 }),
      signal: stop.signal,
      onProgress: () => stop.abort(),
    })
    await expect(first).rejects.toThrow(
      withReason('draining', /^Interrupted after \d of 4 rows; the same command resumes there/),
    )
    const kept = path.join(bench.settings.dataDir, 'rows.partial.jsonl')
    expect((await fs.readFile(kept, 'utf8')).split('\n').length).toBeGreaterThan(1)
    await admit({ minRows: 50 })
    await expect(fs.stat(kept)).rejects.toThrow(/ENOENT/)
  })

  it('refuses weights without commercial use where the settings require open ones', async () => {
    await expect(start(false, true)).rejects.toMatchObject({
      reason: 'detector-not-open',
      kind: 'setup',
      message: 'The weights of tiny-image may not be used commercially.',
    })
    const file = path.join(bench.modelsDir, 'tiny-image', 'detector.json')
    const before = await fs.readFile(file, 'utf8')
    await fs.writeFile(file, JSON.stringify({ ...JSON.parse(before), openWeights: true }))
    await start(false, true)
    await fs.writeFile(file, before)
  })

  it('records a package that passes by its digest, with the figures and the data', async () => {
    const wanted = { minAuc: 0.9, maxLatencyMs: 60_000, maxMemoryMb: 4000, licenses: ['apache-2.0'], minRows: 2 }
    const result = await admit(wanted)
    expect(result.rows.map(({ threshold, passed }) => [threshold, passed])).toEqual([
      ['minAuc', true],
      ['minRows', true],
      ['maxLatencyMs', true],
      ['maxMemoryMb', true],
      ['licenses', true],
    ])
    const admission = await readAdmission(dataPaths(bench.settings.dataDir).admissions, result.digest)
    expect(admission).toMatchObject({ id: 'tiny-image', thresholds: wanted, data: { real: 2, fake: 2 } })
    await start(true)
  })

  it('withdraws an earlier admission of a package that fails', async () => {
    const result = await admit({ maxFpr: 0.1, minAuc: 0.9 })
    expect(result).toMatchObject({ record: null, withdrawn: true })
    expect(result.rows).toEqual([
      { threshold: 'minAuc', wanted: 'at least 0.9', measured: 1, passed: true },
      { threshold: 'maxFpr', wanted: 'at most 0.1', measured: 0.5, passed: false },
    ])
    await expect(start(true)).rejects.toMatchObject({ reason: 'detector-not-admitted' })
  })

  it('does not accept a record that was changed, or is of another digest', async () => {
    const { digest, record } = await admit({ maxMemoryMb: 4000 }, null)
    await start(true)
    const text = await fs.readFile(record ?? '', 'utf8')
    for (const spoiled of [
      '{',
      text.replace('"passed": true', '"passed": false'),
      text.replace(digest, '0'.repeat(64)),
    ]) {
      await fs.writeFile(record ?? '', spoiled)
      await expect(start(true)).rejects.toMatchObject({ reason: 'detector-not-admitted' })
    }
  })

  it('does not judge thresholds that need data without data', async () => {
    await expect(admit({ minAuc: 0.5 }, null)).rejects.toThrow(/--data/)
  })
})

it('models verify prints the time and memory of a package', async () => {
  const [verified, ...others] = await verifyModels(bench.settings)
  expect(others).toEqual([])
  expect(verified).toMatchObject({ id: 'tiny-image', version: '1.0.0' })
  expect(verified?.rssBytes).toBeGreaterThan(10 * 1024 * 1024)
  expect(verified?.medianMs).toBeGreaterThan(0)
})

it('no verb of the lab leaks the token of the model server', async () => {
  const own = await labBenchIn(await folderForTest())
  await writeRemotePackage(own.modelsDir, 'far', 'http://models.example:8000')
  const settings = { ...own.settings, detectorToken: 'secret-token' }
  const refused = {
    reason: 'setting-invalid',
    message: expect.stringContaining('unencrypted to http://models.example'),
  }
  await expect(verifyModels(settings)).rejects.toMatchObject(refused)
  await expect(admitModel(settings, 'far', options({ maxLatencyMs: 1000 }, null))).rejects.toMatchObject(refused)
})
