import { csvLines } from '../../core/csv.js'
import type { ScoredRow } from './scored-row.js'

const HEADS = ['path', 'label', 'source', 'generator', 'risk', 'logit', 'unsure', 'reason', 'sha256', 'notes']

/** One line a row: what each file got, for whoever computes figures of their own. */
export function scoresCsv(scored: readonly ScoredRow[]): string {
  const rows = scored.map(({ row, sha256, detection, unscored }) => [
    row.id,
    row.fake ? 'fake' : 'real',
    row.columns.source ?? '',
    row.columns.generator ?? '',
    detection ? String(detection.risk) : '',
    detection ? String(detection.rawScore) : '',
    detection?.unsureBecause ?? '',
    unscored?.reason ?? '',
    sha256,
    detection?.notes ?? unscored?.message ?? '',
  ])
  return csvLines([HEADS, ...rows])
}
