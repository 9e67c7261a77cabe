import fs from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Measurement } from '../../../src/detect/contract/measurement.js'
import { checkSampleUnchanged, checkSelfTest, selfTestJob } from '../../../src/detect/host/self-test.js'
import { loadPackage } from '../../../src/detect/package/package-loader.js'
import { readPackageFile } from '../../../src/detect/package/read-package-file.js'
import { logitOf } from '../../../src/detect/scoring/calibration.js'
import { writeTinyPackage } from '../../support/detector-package.js'
import { folderForEach } from '../../support/temporary-folder.js'
import { withReason } from '../../support/with-reason.js'

const modelsDir = folderForEach()

const packed = async (manifest: Record<string, unknown> = {}) =>
  loadPackage(await writeTinyPackage(modelsDir, { manifest }))
const measured = (risk: number, length?: number): Measurement => ({
  rawScore: logitOf(risk),
  notes: '',
  length,
  parts: [],
  variants: [],
  elapsedMs: { decode: 0, infer: 0 },
})
const selfTest = (risk: number, tolerance: number) => ({ selfTest: { file: 'selftest.png', risk, tolerance } })

describe('checkSelfTest', () => {
  it.each([
    [0.5, 0.125, 0.5, true],
    [0.5, 0.125, 0.6249, true],
    [0.5, 0.125, 0.3751, true],
    [0.5, 0.125, 0.6251, false],
    [0.5, 0.125, 0.3749, false],
    [0.5, 0, 0.5, true],
    [0.5, 0, 0.501, false],
  ])('a stated risk of %d ± %d and a measured one of %d: %s', async (stated, tolerance, risk, isFine) => {
    const pack = await packed(selfTest(stated, tolerance))
    const check = () => checkSelfTest(pack, measured(risk))
    if (isFine) expect(check).not.toThrow()
    else expect(check).toThrow(withReason('detector-self-test-failed'))
  })

  it('calibrates by the length of the sample', async () => {
    const bins = [
      { upTo: 100, slope: 1, intercept: 0 },
      { slope: 1, intercept: 5 },
    ]
    const pack = await packed({ ...selfTest(0.5, 0.01), calibration: { kind: 'by-length', bins } })
    expect(() => checkSelfTest(pack, measured(0.5, 100))).not.toThrow()
    expect(() => checkSelfTest(pack, measured(0.5, 101))).toThrow(/0\.9933/)
  })
})

it('the job of a self-test scores the sample in the package, without re-encodings and evidence', async () => {
  const pack = await packed()
  expect(selfTestJob(pack)).toEqual({
    detectorId: 'tiny-image',
    file: path.join(pack.folder, 'selftest.png'),
    probe: null,
    evidence: false,
  })
})

describe('a package folder that is replaced while its old version runs', () => {
  it('still reads an unchanged file', async () => {
    const pack = await packed()
    expect(await readPackageFile(pack, 'selftest.png')).toEqual(
      await fs.readFile(path.join(pack.folder, 'selftest.png')),
    )
    await expect(checkSampleUnchanged(pack)).resolves.toBeUndefined()
  })

  it.each([
    ['changed', (file: string) => fs.appendFile(file, 'x')],
    ['gone', (file: string) => fs.rm(file)],
    ['empty', (file: string) => fs.truncate(file)],
  ])('refuses a sample that is %s, and states how to load the new version', async (_, spoil) => {
    const pack = await packed()
    await spoil(path.join(pack.folder, 'selftest.png'))
    const refusal = { reason: 'model-digest-mismatch', message: expect.stringContaining('attestd models reload') }
    await expect(checkSampleUnchanged(pack)).rejects.toMatchObject(refusal)
  })

  it('never reads a file that the manifest does not list', async () => {
    const pack = await packed()
    await expect(readPackageFile(pack, 'detector.json')).rejects.toMatchObject({ reason: 'model-digest-mismatch' })
  })
})
