import fs from 'node:fs/promises'
import type { Settings } from '../../config/settings.js'
import { systemClock } from '../../core/clock.js'
import { AttestdError } from '../../core/errors.js'
import { type LoadedPackage, loadOrder } from '../../detect/package/package-loader.js'
import {
  type CalibratedRow,
  type CalibrateOptions,
  type CalibrationReport,
  calibrateRows,
  calibrationReportSchema,
  requireFits,
} from '../../lab/calibrate/calibration-report.js'
import { requireBins } from '../../lab/calibrate/fit-calibration.js'
import { writeCalibration } from '../../lab/calibrate/write-calibration.js'
import type { DataRow } from '../../lab/data/data-row.js'
import { readData } from '../../lab/data/read-data.js'
import { refuseTimeouts } from '../../lab/evaluate/refuse-timeouts.js'
import { dataDigest } from '../../lab/evaluate/score-rows.js'
import { interrupted } from '../../lab/interrupted.js'
import { measureSample } from '../../lab/measure/measure-sample.js'
import { type LabeledDataOptions, scoreForLab } from './lab-scoring.js'
import { measuringOf } from './measuring.js'

/** How to fit, and to what data. Without `write` the package stays as it is, and the report is all there is. */
export interface CalibrateModelOptions extends LabeledDataOptions, Pick<CalibrateOptions, 'method' | 'accuracy'> {
  readonly write: boolean
}

/**
 * Fits a calibration of a package to labeled data.
 * @throws AttestdError lab-data-invalid, argument-invalid (the package cannot be written), detector-timeout (of a file, where the
 *   package is to be changed), draining, and what stops detectors
 */
export async function calibrateModel(
  settings: Settings,
  named: string,
  options: CalibrateModelOptions,
): Promise<CalibrationReport> {
  const data = await readData(options.data, options.root)
  const check = async (rows: readonly DataRow[], { folder, manifest }: LoadedPackage) => {
    requireFits(rows)
    requireBins(options.method, manifest.calibration)
    if (options.write) await requireWritable(folder)
  }
  const { detector, scored } = await scoreForLab(settings, named, data, { ...options, check })
  if (options.write)
    refuseTimeouts(scored.filter(({ unscored }) => unscored?.reason === 'detector-timeout').length, scored.length)
  return calibratedBy(settings, detector, scored, { from: data.from, digest: dataDigest(scored) }, options)
}

/** Hours of scoring are not for a package that cannot be written afterwards, such as one of a global installation. */
async function requireWritable(folder: string): Promise<void> {
  await fs.access(folder, fs.constants.W_OK).catch((cause: NodeJS.ErrnoException) => {
    throw new AttestdError('argument-invalid', `--write cannot change ${folder} (${cause.code}).`, {
      cause,
      fix: 'Copy the package into a models directory of your own, and name the copy.',
    })
  })
}

/** Fits a calibration to what a package measured of labeled rows, or its recipe. @throws lab-data-invalid, draining */
export async function calibratedBy(
  settings: Settings,
  detector: LoadedPackage,
  rows: readonly CalibratedRow[],
  data: Pick<CalibrationReport['data'], 'from' | 'digest'>,
  options: Pick<CalibrateModelOptions, 'method' | 'accuracy' | 'command' | 'signal' | 'write'>,
): Promise<CalibrationReport> {
  const { method, accuracy, command, signal } = options
  const { id, version, calibration: present, decisionBand: presentBand } = detector.manifest
  const usable = rows.filter(({ detection }) => detection !== null)
  const fake = usable.filter(({ row }) => row.fake).length
  const report = calibrationReportSchema.parse({
    schema: 1,
    madeAt: new Date(systemClock.now()).toISOString(),
    command,
    detector: { id, version, digest: detector.digest },
    data: { ...data, real: usable.length - fake, fake, unscored: rows.length - usable.length },
    ...calibrateRows(usable, { method, accuracy, present, presentBand }),
  })
  if (options.write) {
    if (signal.aborted) throw interrupted()
    refuseEndlessBand(report)
    const measuring = await measuringOf(settings, signal)
    await writeCalibration(detector, report, await measureSample(loadOrder([detector]), { ...measuring, times: 1 }))
  }
  return report
}

/** A band from 0 to 1 would make the detector abstain on everything. */
function refuseEndlessBand({ accuracy, bandAfter: { low, high }, bandBefore }: CalibrationReport): void {
  if (low > 0 || high < 1) return
  throw new AttestdError(
    'lab-data-invalid',
    `No band on these rows makes verdicts right in ${accuracy} of the cases: it would be 0 to 1, and the detector would ` +
      `never give a verdict. Nothing was written; the package keeps ${bandBefore.low} to ${bandBefore.high}. ` +
      'Calibrate with a lower --accuracy, with more rows, or use another detector.',
  )
}
