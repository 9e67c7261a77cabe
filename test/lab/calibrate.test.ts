import { spawnSync } from 'node:child_process'
import fs from 'node:fs/promises'
import path from 'node:path'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { calibrateModel } from '../../src/app/lab/calibrate-model.js'
import { surveyModels } from '../../src/app/verbs/models.js'
import { packagePath } from '../../src/core/files.js'
import { sigmoid } from '../../src/detect/scoring/calibration.js'
import { seededRandom } from '../../src/lab/metrics/seeded-random.js'
import { DetectorBench } from '../support/detector-bench.js'
import { type LabPicture, labBenchForAll } from '../support/lab-bench.js'
import { withReason } from '../support/with-reason.js'

/** Runs a program of bubblewrap's with the machine as it is. */
const AS_IT_IS = ['--dev-bind', '/', '/']
const mounts = spawnSync('bwrap', [...AS_IT_IS, 'true']).status === 0

describe('models calibrate', () => {
  const bench = labBenchForAll()
  let index: string
  beforeAll(async () => {
    const random = seededRandom(11)
    const pictures = Array.from({ length: 90 }, (_, number): LabPicture => {
      const red = Math.round(90 + 90 * random())
      // Redder is more likely fake, far less surely than the tiny network believes.
      const fake = random() < sigmoid((red - 128) / 40)
      return { name: `${number}.png`, label: fake ? 'fake' : 'real', red, source: `source ${number % 9}` }
    })
    index = await bench.writePictures(pictures)
  })

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

  it('lowers the calibration error on sources that the fit did not see, and changes nothing without --write', async () => {
    const before = await fs.readFile(manifestFile(), 'utf8')
    const report = await calibrateModel(bench.settings, 'tiny-image', options(false))
    expect(report.heldOut).toBe('source')
    expect(report.calibration).toMatchObject({ kind: 'platt' })
    expect(report.after.logLoss ?? 9).toBeLessThan(report.before.logLoss ?? 0)
    expect(report.after.ece ?? 9).toBeLessThan(report.before.ece ?? 0)
    expect(await fs.readFile(manifestFile(), 'utf8')).toBe(before)
  })

  it('with --write gives the package its new risks and keeps everything else', async () => {
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
    const listed = await surveyModels({ modelsDir: bench.modelsDir, detectors: [] })
    expect(listed.find(({ id }) => id === 'tiny-image')).toMatchObject({ verdicts: report.bandAfter })
    const detectors = await DetectorBench.forTest()
    await (await detectors.start({ modelsDir: bench.modelsDir })).probe()
  })

  it('never writes a band that leaves no verdict', async () => {
    const before = await fs.readFile(manifestFile(), 'utf8')
    const run = calibrateModel(bench.settings, 'tiny-image', { ...options(true), accuracy: 1 })
    await expect(run).rejects.toThrow(withReason('lab-data-invalid', /would never give a verdict. Nothing was written/))
    expect(await fs.readFile(manifestFile(), 'utf8')).toBe(before)
  })

  it('refuses too few rows before any is read', async () => {
    const few = path.join(bench.folder, 'few.csv')
    await fs.writeFile(few, ['path,label', 'absent-1.png,real', 'absent-2.png,fake'].join('\n'))
    const run = calibrateModel(bench.settings, 'tiny-image', { ...options(false), data: few })
    await expect(run).rejects.toMatchObject({
      message: expect.stringMatching(/1 real and 1 fake rows; a fit needs 20 of each/),
    })
  })

  it('refuses a fit by length of a package without bins before any row is scored', async () => {
    const onProgress = vi.fn()
    const run = calibrateModel(bench.settings, 'tiny-image', { ...options(false), method: 'by-length', onProgress })
    await expect(run).rejects.toMatchObject({ message: expect.stringMatching(/bins of length/) })
    expect(onProgress).not.toHaveBeenCalled()
  })

  // Root may write everywhere but to what is mounted read-only.
  it.skipIf(!mounts)('refuses a package that cannot be written before any row is scored', () => {
    const folder = path.dirname(manifestFile())
    const verb = [process.execPath, packagePath('dist', 'cli', 'main.js'), 'models', 'calibrate', folder, '--write']
    const run = [...AS_IT_IS, '--ro-bind', folder, folder, ...verb, '--data', options(true).data]
    const { status, stderr } = spawnSync('bwrap', run, { encoding: 'utf8' })
    expect({ status, stderr }).toEqual({ status: 64, stderr: expect.stringMatching(/cannot change .* \(EROFS\)/) })
    expect(stderr).not.toContain('scored')
  })
})
