import { z } from 'zod'
import { REASONS, type Reason } from '../../core/reasons.js'
import type { Detection } from '../../detect/detection.js'
import type { DataRow } from '../data/data-row.js'

/** Why a row has no score: `abstained` is its own result, `failed` is not. */
export const unscoredSchema = z.object({
  how: z.enum(['abstained', 'failed']),
  reason: z.enum(Object.keys(REASONS) as [Reason, ...Reason[]]),
  message: z.string(),
})
/** See the schema. */
export type Unscored = z.infer<typeof unscoredSchema>

/** What became of one row: a detection, or the reason there is none. */
export interface ScoredRow {
  readonly row: DataRow
  /** sha256 (64 hex) of the bytes that were scored. */
  readonly sha256: string
  readonly detection: Detection | null
  /** Null where there is a detection. */
  readonly unscored: Unscored | null
}
