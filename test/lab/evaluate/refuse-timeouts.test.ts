import fs from 'node:fs/promises'
import path from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { dataPaths } from '../../../src/app/data-dir.js'
import { admitModel } from '../../../src/app/lab/admit-model.js'
import { calibrateModel } from '../../../src/app/lab/calibrate-model.js'
import { readAdmission } from '../../../src/lab/admit/admission-record.js'
import { parseThresholds } from '../../../src/lab/admit/thresholds.js'
import { labBenchForAll } from '../../support/lab-bench.js'
import { writeModulePackage } from '../../support/other-packages.js'

/** The longer the text the higher, and one without an end. */
const MAIN = `
import fs from 'node:fs/promises'
export const createDetector = () => ({
  async measure(file) {
    const { length } = await fs.readFile(file, 'utf8')
    return length === 777 ? new Promise(() => {}) : { logit: length / 100 }
  },
})`
const ENDLESS = 777

const bench = labBenchForAll()
beforeAll(async () => {
  await writeModulePackage(bench.modelsDir, { 'main.mjs': MAIN })
})

/** Texts of both classes, the longer half of the fake ones longer than any real one; and one that never ends where asked for. */
async function texts(...more: number[]): Promise<string> {
  const lengths = [...Array.from({ length: 80 }, (_, number) => 100 + number * 5), ...more]
  const lines = await Promise.all(
    lengths.map(async (length, number) => {
      await fs.writeFile(path.join(bench.folder, `${length}.txt`), 'y'.repeat(length))
      return `${length}.txt,${number % 4 === 0 || length > 400 ? 'fake' : 'real'}`
    }),
  )
  const index = path.join(bench.folder, `texts-${more.length}.csv`)
  await fs.writeFile(index, ['path,label', ...lines, ''].join('\n'))
  return index
}

const settings = () => ({ ...bench.settings, detectorTimeoutMs: 2000 })
const common = (data: string) => ({
  data,
  root: null,
  limit: null,
  prior: null,
  command: 'a test',
  signal: new AbortController().signal,
  onProgress: () => {},
})
const calibrate = (data: string, write: boolean) =>
  calibrateModel(settings(), 'by-module', { ...common(data), method: 'platt', accuracy: 0.7, write })
const thresholds = parseThresholds(null, { minRows: 2 }, '')
const admit = (data: string) => admitModel(settings(), 'by-module', { ...common(data), thresholds })

it('prevent writing a calibration where files ran out of time, and state how to continue', async () => {
  const manifest = path.join(bench.modelsDir, 'by-module', 'detector.json')
  const before = await fs.readFile(manifest, 'utf8')
  const data = await texts(ENDLESS)
  await expect(calibrate(data, true)).rejects.toMatchObject({
    reason: 'detector-timeout',
    message: expect.stringMatching(/^1 of 81 files ran out of time/),
    fix: expect.stringContaining('--detector-timeout-ms'),
  })
  expect(await fs.readFile(manifest, 'utf8')).toBe(before)
  await expect(calibrate(data, false)).resolves.toMatchObject({ method: 'platt' })
})

it('end an admission test, which withdraws no earlier admission', async () => {
  const { digest } = await admit(await texts())
  const { admissions } = dataPaths(bench.settings.dataDir)
  const kept = await readAdmission(admissions, digest)
  expect(kept).toMatchObject({ id: 'by-module' })
  await expect(admit(await texts(ENDLESS))).rejects.toMatchObject({ reason: 'detector-timeout' })
  expect(await readAdmission(admissions, digest)).toEqual(kept)
})
