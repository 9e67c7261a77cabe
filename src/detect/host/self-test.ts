import path from 'node:path'
import { AttestdError } from '../../core/errors.js'
import type { Measurement } from '../contract/measurement.js'
import type { DetectorPackage } from '../package/package-loader.js'
import { readPackageFile } from '../package/read-package-file.js'
import { calibrate } from '../scoring/calibration.js'
import type { ChildJob } from './detector-process.js'

/** The job that measures a package's own sample, without re-encodings and evidence: the manifest states one risk. */
export function selfTestJob({ folder, manifest }: DetectorPackage): ChildJob {
  return { detectorId: manifest.id, file: path.join(folder, manifest.selfTest.file), probe: null, evidence: false }
}

/** Compares what a package's own sample measured with its manifest. @throws AttestdError detector-self-test-failed */
export function checkSelfTest({ manifest }: DetectorPackage, { rawScore, length }: Measurement): void {
  const risk = calibrate(rawScore, manifest.calibration, length)
  const stated = manifest.selfTest
  if (Math.abs(risk - stated.risk) <= stated.tolerance) return
  throw new AttestdError(
    'detector-self-test-failed',
    `The detector ${manifest.id} scored its own sample ${stated.file} with a risk of ${risk.toFixed(4)}; its manifest states ${stated.risk} ± ${stated.tolerance}.`,
  )
}

/** Refuses the sample of another version, where the package was replaced meanwhile. @throws model-digest-mismatch */
export async function checkSampleUnchanged(pack: DetectorPackage): Promise<void> {
  await readPackageFile(pack, pack.manifest.selfTest.file)
}
