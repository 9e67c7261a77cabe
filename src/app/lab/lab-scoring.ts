import path from 'node:path'
import type { Settings } from '../../config/settings.js'
import { EVEN_ODDS } from '../../detect/package/calibration-schema.js'
import type { LoadedPackage } from '../../detect/package/package-loader.js'
import type { DataRow, DataSet } from '../../lab/data/data-row.js'
import { type SelectedRows, selectRows } from '../../lab/data/select-rows.js'
import { KeptRows } from '../../lab/evaluate/kept-rows.js'
import { scoreRows } from '../../lab/evaluate/score-rows.js'
import type { ScoredRow } from '../../lab/evaluate/scored-row.js'
import { openDetectors } from '../open/open-detectors.js'
import { namedPackage } from './named-package.js'

/** The same intervals on every run over the same rows. */
export const BOOTSTRAP_SEED = 20260101

/** `limit` takes the same rows each time; an aborted `signal` ends the scoring with `draining`. */
export interface LabScoringOptions {
  /** Most rows; null for all. */
  readonly limit: number | null
  readonly signal: AbortSignal
  /** Folder in which the rows are kept until `LabScoring.kept` is removed, so that a stopped run resumes; null: nowhere. */
  readonly keepIn?: string | null
  /** Refuses rows, or what is to be done with the package, before any row is scored. */
  readonly check?: (rows: readonly DataRow[], detector: LoadedPackage) => Promise<void>
  onProgress(done: number, of: number): void
}

export interface LabeledDataOptions extends LabScoringOptions {
  /** Index or folder, as `readData` takes it. */
  readonly data: string
  /** What paths of the index are relative to; its own folder where null. */
  readonly root: string | null
  /** What was typed. */
  readonly command: string
}

/** A package with its results for each of its rows. */
export interface LabScoring extends Pick<SelectedRows, 'otherMedia'> {
  readonly detector: LoadedPackage
  readonly scored: readonly ScoredRow[]
  readonly kept: KeptRows | null
}

/**
 * Scores labeled rows through the detector processes of the settings, as the daemon would.
 * @param named id of the package, or path of its folder
 * @throws AttestdError lab-data-invalid, draining, and what stops the start of the processes
 */
export async function scoreForLab(
  settings: Settings,
  named: string,
  data: DataSet,
  { check, keepIn = null, limit, signal, onProgress }: LabScoringOptions,
): Promise<LabScoring> {
  const detector = await namedPackage(settings, named)
  const { rows, otherMedia } = selectRows(data.rows, detector.manifest.mediaTypes, limit)
  await check?.(rows, detector)
  const host = await openDetectors(settings, {
    modelsDir: path.dirname(detector.folder),
    detectors: [{ id: detector.manifest.id, shadow: false }],
    expectedShare: EVEN_ODDS,
  })
  try {
    const kept = keepIn === null ? null : await KeptRows.open(keepIn, `${detector.digest} ${host.platform}`)
    const options = { host, concurrency: settings.detectorWorkers, kept, signal, onProgress }
    return { detector, otherMedia, kept, scored: await scoreRows(rows, options) }
  } finally {
    await host.close()
  }
}
