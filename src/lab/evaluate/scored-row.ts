import type { Reason } from '../../core/reasons.js'
import type { Detection } from '../../detect/detection.js'
import type { DataRow } from '../data/data-row.js'

/** What became of one row: a detection, or the reason there is none. */
export interface ScoredRow {
  readonly row: DataRow
  /** sha256 (64 hex) of the bytes that were scored. */
  readonly sha256: string
  readonly detection: Detection | null
  /** Null where there is a detection. */
  readonly unscored: Unscored | null
}

/** Why a row has no score. */
export interface Unscored {
  /** `abstained` is its own result; `failed` is not. */
  readonly how: 'abstained' | 'failed'
  readonly reason: Reason
  readonly message: string
}
