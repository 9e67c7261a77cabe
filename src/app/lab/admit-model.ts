import type { Settings } from '../../config/settings.js'
import { systemClock } from '../../core/clock.js'
import { AttestdError } from '../../core/errors.js'
import { VERSION } from '../../core/version.js'
import { loadOrder } from '../../detect/package/package-loader.js'
import { withdrawAdmission, writeAdmission } from '../../lab/admit/admission-record.js'
import { type ExamRow, examine } from '../../lab/admit/exam.js'
import { needsData, type Thresholds } from '../../lab/admit/thresholds.js'
import { refuseTimeouts } from '../../lab/evaluate/refuse-timeouts.js'
import { measureSample } from '../../lab/measure/measure-sample.js'
import { openDataDir } from '../data-dir.js'
import { evaluateModel } from './evaluate-model.js'
import type { LabeledDataOptions } from './lab-scoring.js'
import { measuringOf } from './measuring.js'
import { namedPackage } from './named-package.js'

/** Inferences of the own sample that its latency is the median of. */
const TIMES = 5

/** What an exam needs. Thresholds on license, latency and memory do without labeled data; all others need them. */
export interface AdmitModelOptions extends Omit<LabeledDataOptions, 'data'> {
  /** Null where no threshold needs labeled data. */
  readonly data: string | null
  /** See `EvaluateModelOptions.prior`. */
  readonly prior: number | null
  readonly thresholds: Thresholds
}

export interface AdmissionResult {
  readonly id: string
  readonly version: string
  readonly digest: string
  readonly rows: readonly ExamRow[]
  /** Where the admission is kept; null where the package failed. */
  readonly record: string | null
  /** Whether an earlier admission of the same digest was taken back. */
  readonly withdrawn: boolean
}

/**
 * Examines a package by an operator's thresholds; keeps its admission where it passes, takes an earlier one back where not.
 * An exam that was stopped resumes where it was.
 * @throws AttestdError setting-invalid (data are needed), data-dir-unusable, disk-full, lab-data-invalid,
 *   detector-timeout (of a file), draining, and what stops detectors
 */
export async function admitModel(
  settings: Settings,
  named: string,
  options: AdmitModelOptions,
): Promise<AdmissionResult> {
  const { command, data, signal, thresholds } = options
  if (data === null && needsData(thresholds)) {
    throw new AttestdError('setting-invalid', 'These thresholds need labeled data; pass it with --data.')
  }
  const pack = await namedPackage(settings, named)
  // Before the exam, which may take hours.
  const { admissions: folder, root: keepIn } = await openDataDir(settings.dataDir)
  const packages = loadOrder([pack])
  const measuring = await measuringOf(settings, signal)
  const sample = await measureSample(packages, { ...measuring, times: TIMES, tested: true })
  const evaluation =
    data === null ? null : await evaluateModel(settings, named, { ...options, data, keepIn, out: null, by: [] })
  if (evaluation) refuseTimeouts(evaluation.outcomes.failed['detector-timeout'] ?? 0, evaluation.data.rows)
  const { manifest, digest } = pack
  const packageLicenses = packages.map((one) => one.manifest.license)
  const rows = examine(thresholds, { packageLicenses, sample, evaluation })
  const identity = { id: manifest.id, version: manifest.version, digest }
  const passed = rows.flatMap(({ measured, ...row }) =>
    row.passed && measured !== null ? [{ ...row, measured, passed: true as const }] : [],
  )
  if (passed.length < rows.length) {
    return { ...identity, rows, record: null, withdrawn: await withdrawAdmission(folder, digest) }
  }
  const record = await writeAdmission(folder, {
    schema: 1,
    ...identity,
    admittedAt: new Date(systemClock.now()).toISOString(),
    attestd: VERSION,
    command,
    thresholds,
    figures: passed,
    data: evaluation?.data ?? null,
  })
  return { ...identity, rows, record, withdrawn: false }
}
