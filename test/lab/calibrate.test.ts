import { spawnSync } from 'node:child_process'
import fs from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { calibrateModel } from '../../src/app/lab/calibrate-model.js'
import { packagePath } from '../../src/core/files.js'
import { calibrate, sigmoid } from '../../src/detect/scoring/calibration.js'
import { plattTargets } from '../../src/lab/calibrate/calibration-row.js'
import { fitCalibration } from '../../src/lab/calibrate/fit-calibration.js'
import { fitIsotonic } from '../../src/lab/calibrate/fit-isotonic.js'
import { fitPlatt } from '../../src/lab/calibrate/fit-platt.js'
import { fitTemperature } from '../../src/lab/calibrate/fit-temperature.js'
import { foldsByGroup } from '../../src/lab/calibrate/folds.js'
import { weightedToPrior } from '../../src/lab/metrics/class-weights.js'
import { seededRandom } from '../../src/lab/metrics/seeded-random.js'
import { DetectorBench } from '../support/detector-bench.js'
import { createLabBench, type LabBench, type LabPicture } from '../support/lab-bench.js'

/** Runs a program of bubblewrap's with the machine as it is. */
const AS_IT_IS = ['--dev-bind', '/', '/']
const mounts = spawnSync('bwrap', [...AS_IT_IS, 'true']).status === 0

const row = (logit: number, fake: boolean, length = Number.POSITIVE_INFINITY) => ({ logit, fake, length, weight: 1 })

/** Rows whose class is drawn with the probability that a line gives their logit. */
function drawn(count: number, slope: number, intercept: number, length?: number) {
  const random = seededRandom(3)
  return Array.from({ length: count }, () => {
    const logit = 8 * random() - 4
    return row(logit, random() < sigmoid(slope * logit + intercept), length)
  })
}

describe('fits', () => {
  it('platt finds the line that the rows were drawn from', () => {
    const { slope, intercept } = fitPlatt(drawn(20_000, 0.7, -0.4))
    expect(slope).toBeCloseTo(0.7, 1)
    expect(intercept).toBeCloseTo(-0.4, 1)
  })

  it('platt stays finite where the classes do not overlap, and its means meet its targets', () => {
    const rows = [row(-2, false), row(-1, false), row(1, true), row(2, true)]
    const line = fitPlatt(rows)
    const mean = rows.reduce((sum, { logit }) => sum + sigmoid(line.slope * logit + line.intercept), 0) / 4
    const targets = plattTargets(rows)
    expect(line.slope).toBeGreaterThan(0)
    expect(mean).toBeCloseTo((targets.fake + targets.real) / 2, 6)
  })

  it('temperature finds how much too sure the logits are', () => {
    expect(fitTemperature(drawn(20_000, 0.5, 0))).toBeCloseTo(2, 0)
    expect(fitTemperature(drawn(20_000, 1, 0))).toBeCloseTo(1, 1)
  })

  it('isotonic pools what falls; ties are one knot', () => {
    const rows = [row(1, false), row(2, true), row(3, false), row(4, true), row(4, true), row(5, true)]
    const { logits, risks } = fitIsotonic(rows)
    // 1: real; 2 and 3 pooled to a half; 4 and 5 fake, kept from 1 by Platt's target of four fakes.
    expect(logits).toEqual([1, 2.5, 4.333333])
    expect(risks).toEqual([0.25, 0.5, 0.833333])
  })

  it('isotonic never has more knots than a manifest holds', () => {
    const rows = drawn(5000, 3, 0)
    const calibration = fitCalibration(rows, 'isotonic', 0.5, { kind: 'identity' })
    expect(calibration.kind).toBe('isotonic')
    if (calibration.kind === 'isotonic') expect(calibration.logits.length).toBeLessThanOrEqual(200)
  })

  it('by length: a line a bin', () => {
    const rows = [...drawn(4000, 0.5, 0, 100), ...drawn(4000, 1.5, 0, 900)]
    const present = {
      kind: 'by-length',
      bins: [
        { upTo: 500, slope: 1, intercept: 0 },
        { slope: 1, intercept: 0 },
      ],
    } as const
    const fitted = fitCalibration(rows, 'by-length', 0.5, { ...present, bins: [...present.bins] })
    expect(fitted).toMatchObject({ kind: 'by-length', bins: [{ upTo: 500 }, {}] })
    expect(calibrate(2, fitted, 100)).toBeCloseTo(sigmoid(1), 1)
    expect(calibrate(2, fitted, 900)).toBeCloseTo(sigmoid(3), 1)
    expect(() => fitCalibration(rows, 'by-length', 0.5, { kind: 'identity' })).toThrow(/bins of length/)
  })

  it('a prior moves the intercept by its odds', () => {
    const rows = drawn(20_000, 1, 0)
    const half = fitPlatt(weightedToPrior(rows, 0.5))
    const tenth = fitPlatt(weightedToPrior(rows, 0.1))
    expect(tenth.intercept - half.intercept).toBeCloseTo(Math.log(0.1 / 0.9), 1)
  })

  it('too few rows of a class, one class, or a ranking upside down are refused', () => {
    const fitTo = (rows: ReturnType<typeof drawn>, method: 'platt' | 'isotonic' = 'platt') =>
      fitCalibration(rows, method, 0.5, { kind: 'identity' })
    expect(() => fitTo([...drawn(100, 1, 0).filter(({ fake }) => !fake), row(1, true)])).toThrow(/needs 20 of each/)
    expect(() => fitTo(drawn(100, 1, 0).filter(({ fake }) => fake))).toThrow(/0 real/)
    expect(() => fitTo(drawn(500, -1, 0))).toThrow(/does not score fake rows above real/)
    expect(() =>
      fitTo(
        Array.from({ length: 100 }, (_, index) => row(index, index < 50)),
        'isotonic',
      ),
    ).toThrow(/above real/)
  })
})

describe('folds and band', () => {
  it('a group is never split, and folds are about equal', () => {
    const groups = Array.from({ length: 100 }, (_, index) => `group ${index % 12}`)
    const folds = foldsByGroup(groups)
    for (const group of new Set(groups)) {
      expect(new Set(folds.filter((_, index) => groups[index] === group)).size).toBe(1)
    }
    const sizes = [0, 1, 2, 3, 4].map((fold) => folds.filter((each) => each === fold).length)
    expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(17)
  })
})

describe('models calibrate', () => {
  let bench: LabBench
  let index: string
  beforeAll(async () => {
    bench = await createLabBench()
    const random = seededRandom(11)
    const pictures = Array.from({ length: 90 }, (_, number): LabPicture => {
      const red = Math.round(90 + 90 * random())
      // Redder is more likely fake, far less surely than the tiny network believes.
      const fake = random() < sigmoid((red - 128) / 40)
      return { name: `${number}.png`, label: fake ? 'fake' : 'real', red, source: `source ${number % 9}` }
    })
    index = await bench.writePictures(pictures)
  })
  afterAll(() => bench.dispose())

  const options = (write: boolean) => ({
    data: index,
    root: null,
    limit: null,
    method: 'platt' as const,
    accuracy: 0.6,
    write,
    command: 'attestd models calibrate',
    signal: new AbortController().signal,
    onProgress: () => {},
  })
  const manifestFile = () => path.join(bench.modelsDir, 'tiny-image', 'detector.json')

  it('lowers the calibration error on sources that the fit did not see, and changes nothing unasked', async () => {
    const before = await fs.readFile(manifestFile(), 'utf8')
    const report = await calibrateModel(bench.settings, 'tiny-image', options(false))
    expect(report.heldOut).toBe('source')
    expect(report.calibration).toMatchObject({ kind: 'platt' })
    expect(report.after.logLoss ?? 9).toBeLessThan(report.before.logLoss ?? 0)
    expect(report.after.ece ?? 9).toBeLessThan(report.before.ece ?? 0)
    expect(await fs.readFile(manifestFile(), 'utf8')).toBe(before)
  })

  it('written, the package starts with its new risks and keeps everything else', async () => {
    const before = JSON.parse(await fs.readFile(manifestFile(), 'utf8'))
    const report = await calibrateModel(bench.settings, 'tiny-image', options(true))
    const after = JSON.parse(await fs.readFile(manifestFile(), 'utf8'))
    const { low, high } = report.bandAfter
    expect(after).toEqual({
      ...before,
      calibration: report.calibration,
      decisionBand: { low, high },
      selfTest: { ...before.selfTest, risk: after.selfTest.risk },
    })
    expect(after.selfTest.risk).not.toBe(before.selfTest.risk)
    const detectors = await DetectorBench.create()
    try {
      await (await detectors.start({ modelsDir: bench.modelsDir })).probe()
    } finally {
      await detectors.dispose()
    }
  })

  it('a band that would leave no verdict is never written', async () => {
    const before = await fs.readFile(manifestFile(), 'utf8')
    const run = calibrateModel(bench.settings, 'tiny-image', { ...options(true), accuracy: 1 })
    await expect(run).rejects.toMatchObject({
      reason: 'lab-data-invalid',
      message: expect.stringMatching(/would never give a verdict. Nothing was written/),
    })
    expect(await fs.readFile(manifestFile(), 'utf8')).toBe(before)
  })

  it('too few rows are refused before any is read', async () => {
    const few = path.join(bench.folder, 'few.csv')
    await fs.writeFile(few, ['path,label', 'absent-1.png,real', 'absent-2.png,fake'].join('\n'))
    const run = calibrateModel(bench.settings, 'tiny-image', { ...options(false), data: few })
    await expect(run).rejects.toMatchObject({
      message: expect.stringMatching(/1 real and 1 fake rows; a fit needs 20 of each/),
    })
  })

  it('a package without bins is refused by length before any row is scored', async () => {
    const onProgress = vi.fn()
    const run = calibrateModel(bench.settings, 'tiny-image', { ...options(false), method: 'by-length', onProgress })
    await expect(run).rejects.toMatchObject({ message: expect.stringMatching(/bins of length/) })
    expect(onProgress).not.toHaveBeenCalled()
  })

  // Root may write everywhere but to what is mounted read-only.
  it.skipIf(!mounts)('one that cannot be written is refused before any row is scored', () => {
    const folder = path.dirname(manifestFile())
    const verb = [process.execPath, packagePath('dist', 'cli', 'main.js'), 'models', 'calibrate', folder, '--write']
    const run = [...AS_IT_IS, '--ro-bind', folder, folder, ...verb, '--data', options(true).data]
    const { status, stderr } = spawnSync('bwrap', run, { encoding: 'utf8' })
    expect({ status, stderr }).toEqual({ status: 64, stderr: expect.stringMatching(/cannot change .* \(EROFS\)/) })
    expect(stderr).not.toContain('scored')
  })

  it('one class alone is refused', async () => {
    const real = await bench.writePictures([{ name: 'one.png', label: 'real', red: 9 }], 'real.csv')
    const run = calibrateModel(bench.settings, 'tiny-image', { ...options(true), data: real })
    await expect(run).rejects.toMatchObject({ reason: 'lab-data-invalid' })
  })
})
