import fs from 'node:fs/promises'
import path from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { sigmoid } from '../../../src/detect/scoring/calibration.js'
import {
  type CalibrateOptions,
  type CalibrationReport,
  calibrateRows,
  calibrationReportSchema,
} from '../../../src/lab/calibrate/calibration-report.js'
import { writeCalibration } from '../../../src/lab/calibrate/write-calibration.js'
import type { ScoredRow } from '../../../src/lab/evaluate/scored-row.js'
import { seededRandom } from '../../../src/lab/metrics/seeded-random.js'
import { writeTinyPackage } from '../../support/detector-package.js'
import { refusedRow, scoredRow } from '../../support/scored-rows.js'
import { folderForAll } from '../../support/temporary-folder.js'

const OPTIONS: CalibrateOptions = {
  method: 'platt',
  accuracy: 0.7,
  present: { kind: 'identity' },
  presentBand: { low: 0.4, high: 0.6 },
}

/** Rows whose logits are twice as sure as they should be; of as many sources as said, or of unstated ones. */
function rowsOf(sources: number | null, count = 400): ScoredRow[] {
  const random = seededRandom(17)
  return Array.from({ length: count }, (_, index) => {
    const logit = 4 * random() - 2
    const columns: Record<string, string> = sources === null ? {} : { source: `s${index % sources}` }
    return scoredRow(sigmoid(2 * logit), random() < sigmoid(logit), {
      id: `row ${index}`,
      columns,
      rawScore: 2 * logit,
    })
  })
}

const known = { schema: 1, madeAt: '', command: '', detector: { id: 'd', version: '1', digest: '' } } as const
const data = { from: '', digest: '', real: 1, fake: 1 }

describe('a calibration of scored rows', () => {
  it('is better than before on rows that it did not see, and can be written', () => {
    const found = calibrateRows(rowsOf(20), OPTIONS)
    expect(found.calibration).toMatchObject({ kind: 'platt', slope: expect.closeTo(0.5, 1) })
    expect(found.after.logLoss).toBeLessThan(found.before.logLoss ?? 0)
    expect(calibrationReportSchema.parse({ ...known, data, ...found })).toMatchObject(found)
  })

  it.each([
    ['whole sources are held out where each fit still has both classes', 20, 'source'],
    ['rows are held out where nobody states a source', null, 'rows'],
    ['rows are held out of a single source', 1, 'rows'],
  ] as const)('%s', (_, sources, heldOut) => {
    expect(calibrateRows(rowsOf(sources), OPTIONS).heldOut).toBe(heldOut)
  })

  it.each<Record<string, string>>([{}, { source: '' }, { source: '-' }])(
    'holds out rows where one of them states no source: %o',
    (columns) => {
      const [first, ...others] = rowsOf(20) as [ScoredRow, ...ScoredRow[]]
      const unstated = { ...first, row: { ...first.row, columns } }
      expect(calibrateRows([unstated, ...others], OPTIONS).heldOut).toBe('rows')
    },
  )

  it('draws rows of unstated sources separately', () => {
    const stated = calibrateRows(rowsOf(null), OPTIONS)
    const rows = rowsOf(null).map((each) => ({ ...each, row: { ...each.row, columns: { source: '-' } } }))
    expect(calibrateRows(rows, OPTIONS)).toEqual(stated)
    expect(stated.bandAfter.rightAtLeast).toBeLessThan(stated.bandAfter.right ?? 0)
  })

  it('leaves out rows without a score', () => {
    const rows = rowsOf(20)
    const refused = Array.from({ length: 300 }, (_, index) => refusedRow(`refused ${index}`, true))
    expect(calibrateRows([...rows, ...refused], OPTIONS)).toEqual(calibrateRows(rows, OPTIONS))
  })

  it('states risks at even odds, whatever the number of rows of a class', () => {
    const rows = rowsOf(20)
    const fewFakes = rows.filter(({ row }, index) => !row.fake || index % 4 === 0)
    const [all, few] = [rows, fewFakes].map((some) => calibrateRows(some, OPTIONS).calibration)
    expect(few).toMatchObject({ kind: 'platt', prior: 0.5 })
    const at = (calibration: typeof all) => (calibration as { intercept: number }).intercept
    expect(Math.abs(at(few) - at(all))).toBeLessThan(0.4)
  })

  it('states the figures of both bands, the present one by the present risks', () => {
    const found = calibrateRows(rowsOf(20), OPTIONS)
    expect(found.bandBefore).toMatchObject(OPTIONS.presentBand)
    const rows = rowsOf(20)
    const inside = rows.filter(({ detection }) => (detection?.risk ?? 0) > 0.4 && (detection?.risk ?? 0) < 0.6)
    const fakesInside = inside.filter(({ row }) => row.fake).length
    const fakes = rows.filter(({ row }) => row.fake).length
    const share = fakesInside / fakes + (inside.length - fakesInside) / (rows.length - fakes)
    expect(found.bandBefore.decided).toBeCloseTo(1 - share / 2, 5)
    expect(found.bandAfter.right).toBeGreaterThan(OPTIONS.accuracy - 0.05)
    expect(found.bandAfter.rightAtLeast).toBeLessThan(found.bandAfter.right ?? 0)
    expect(found.bandAfter.low).toBeLessThanOrEqual(0.5)
    expect(found.bandAfter.high).toBeGreaterThanOrEqual(0.5)
  })

  it('by length uses the measured length', () => {
    const short = rowsOf(20).map((each) => ({
      ...each,
      detection: each.detection && { ...each.detection, length: 100 },
    }))
    const long = rowsOf(20).map((each, index) => ({
      ...each,
      row: { ...each.row, id: `long ${index}` },
      detection: each.detection && { ...each.detection, length: 900, rawScore: each.detection.rawScore * 2 },
    }))
    const bins = [
      { upTo: 500, slope: 1, intercept: 0 },
      { slope: 1, intercept: 0 },
    ]
    const { calibration } = calibrateRows([...short, ...long], {
      ...OPTIONS,
      method: 'by-length',
      present: { kind: 'by-length', bins },
    })
    const [first, second] = (calibration as { bins: { slope: number }[] }).bins
    expect(first?.slope).toBeCloseTo(2 * (second?.slope ?? 0), 2)
  })
})

describe('writing a calibration', () => {
  const models = folderForAll()
  let folder: string
  beforeAll(async () => {
    folder = await writeTinyPackage(models)
  })

  const sample = { measurement: { rawScore: 2, length: undefined } as never }
  const report = (): CalibrationReport => ({ ...known, data, ...calibrateRows(rowsOf(20), OPTIONS) })
  const manifest = () => fs.readFile(path.join(folder, 'detector.json'), 'utf8')

  it('that no manifest accepts changes nothing, and leaves no figures of it', async () => {
    const before = await manifest()
    const bad = { ...report(), calibration: { kind: 'platt', slope: -1, intercept: 0 } } as CalibrationReport
    await expect(writeCalibration({ folder }, bad, sample)).rejects.toMatchObject({
      reason: 'manifest-invalid',
    })
    expect(await manifest()).toBe(before)
    await expect(fs.readdir(path.join(folder, 'evaluation'))).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it('keeps other figures, and files that others can read', async () => {
    const found = report()
    await writeCalibration({ folder }, found, sample)
    const written = JSON.parse(await manifest())
    const { slope, intercept } = found.calibration as { slope: number; intercept: number }
    expect(written.selfTest.risk).toBe(Number(sigmoid(2 * slope + intercept).toFixed(4)))
    expect(written.decisionBand).toEqual({ low: found.bandAfter.low, high: found.bandAfter.high })
    const figures = path.join(folder, 'evaluation', 'calibration.json')
    expect(calibrationReportSchema.parse(JSON.parse(await fs.readFile(figures, 'utf8')))).toEqual(found)
    for (const file of [figures, path.join(folder, 'detector.json')])
      expect(((await fs.stat(file)).mode & 0o777).toString(8)).toBe('644')
  })
})
