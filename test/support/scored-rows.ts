import { asRisk } from '../../src/core/risk.js'
import type { Detection } from '../../src/detect/detection.js'
import type { DataRow } from '../../src/lab/data/data-row.js'
import type { ScoredRow, Unscored } from '../../src/lab/evaluate/scored-row.js'
import { storableDetection } from './pipeline-parts.js'

/** A labeled text. */
export function dataRow(id: string, fake: boolean, columns: Record<string, string> = {}): DataRow {
  return { id, fake, mediaType: 'text', columns, content: { text: `text of ${id}` } }
}

/** A row with the risk that a detector gave it. */
export function scoredRow(
  risk: number,
  fake: boolean,
  {
    id = `${risk} ${fake}`,
    columns = {},
    ...change
  }: Partial<Detection> & Partial<Pick<DataRow, 'id' | 'columns'>> = {},
): ScoredRow {
  const detection = storableDetection({ risk: asRisk(risk), rawScore: Math.log(risk / (1 - risk)), ...change })
  return { row: dataRow(id, fake, columns), sha256: 'a'.repeat(64), detection, unscored: null }
}

/** A row without one. */
export function refusedRow(
  id: string,
  fake: boolean,
  { columns = {}, ...unscored }: Partial<Unscored> & Partial<Pick<DataRow, 'columns'>> = {},
): ScoredRow {
  const why: Unscored = { how: 'abstained', reason: 'media-type-mismatch', message: 'no picture', ...unscored }
  return { row: dataRow(id, fake, columns), sha256: 'b'.repeat(64), detection: null, unscored: why }
}
