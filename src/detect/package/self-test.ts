import { createHash } from 'node:crypto'
import fs from 'node:fs/promises'
import path from 'node:path'
import { AttestdError } from '../../core/errors.js'
import type { ChildJob } from '../child/child-host.js'
import type { Measurement } from '../child/measurement.js'
import { calibrate } from '../scoring/calibration.js'
import type { DetectorPackage } from './package-loader.js'

/** The job that measures a package's own sample. */
export function selfTestJob({ folder, manifest }: DetectorPackage): ChildJob {
  return { detectorId: manifest.id, file: path.join(folder, manifest.selfTest.file) }
}

/**
 * Compares what was measured on a package's own sample with what its manifest states.
 * @throws AttestdError detector-self-test-failed
 */
export function checkSelfTest({ manifest }: DetectorPackage, { rawScore, length }: Measurement): void {
  const risk = calibrate(rawScore, manifest.calibration, length)
  const stated = manifest.selfTest
  if (Math.abs(risk - stated.risk) <= stated.tolerance) return
  throw new AttestdError(
    'detector-self-test-failed',
    `The detector ${manifest.id} gave its own sample ${stated.file} a risk of ${risk.toFixed(4)}; its manifest states ${stated.risk} ± ${stated.tolerance}.`,
  )
}

/**
 * A package folder may be replaced while its old version still runs: then its sample belongs to another version.
 * @throws AttestdError model-digest-mismatch
 */
export async function checkSampleUnchanged({ folder, manifest }: DetectorPackage): Promise<void> {
  const { file } = manifest.selfTest
  const sample = await fs.readFile(path.join(folder, file)).catch(() => Buffer.alloc(0))
  if (createHash('sha256').update(sample).digest('hex') === manifest.files[file]?.sha256) return
  throw new AttestdError(
    'model-digest-mismatch',
    `${path.join(folder, file)} changed since the package was loaded; attestd models reload takes the new version.`,
  )
}
