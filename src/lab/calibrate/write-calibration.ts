import fs from 'node:fs/promises'
import path from 'node:path'
import { writeFileAtomic } from '../../core/files.js'
import { MANIFEST_FILE, parseManifest } from '../../detect/package/manifest.js'
import type { DetectorPackage } from '../../detect/package/package-loader.js'
import { calibrate } from '../../detect/scoring/calibration.js'
import type { SampleMeasurement } from '../measure/measure-sample.js'
import type { CalibrationReport } from './calibration-report.js'

const FILE_MODE = 0o644

/**
 * Puts a calibration and its band into a package's manifest, with the risk that its own sample has by them, and the
 * report with its other figures. Nothing else changes, the version included.
 * @param sample the result of the package's own sample
 */
export async function writeCalibration(
  { folder }: Pick<DetectorPackage, 'folder'>,
  report: CalibrationReport,
  { measurement }: Pick<SampleMeasurement, 'measurement'>,
): Promise<void> {
  const file = path.join(folder, MANIFEST_FILE)
  const manifest = JSON.parse(await fs.readFile(file, 'utf8')) as { selfTest: Record<string, unknown> }
  const risk = calibrate(measurement.rawScore, report.calibration, measurement.length)
  const { low, high } = report.bandAfter
  const text = `${JSON.stringify(
    {
      ...manifest,
      calibration: report.calibration,
      decisionBand: { low, high },
      selfTest: { ...manifest.selfTest, risk: Number(risk.toFixed(4)) },
    },
    null,
    2,
  )}\n`
  parseManifest(text, file)
  await fs.mkdir(path.join(folder, 'evaluation'), { recursive: true })
  const figures = path.join(folder, 'evaluation', 'calibration.json')
  await writeFileAtomic(figures, `${JSON.stringify(report, null, 2)}\n`, { mode: FILE_MODE })
  await writeFileAtomic(file, text, { mode: FILE_MODE })
}
