import { groupedBy } from '../../core/arrays.js'
import type { Evaluation } from './evaluation.js'
import type { ScoredRow } from './scored-row.js'

/** Sets of equal files that are named, and members of each. */
const NAMED = 5

/** Rows whose bytes another row has too, which count more than once in every figure; undefined where there are none. */
export function duplicatesIn(scored: readonly Pick<ScoredRow, 'row' | 'sha256'>[]): Evaluation['data']['duplicates'] {
  const sets = [...groupedBy(scored, ({ sha256 }) => sha256).values()].filter((same) => same.length > 1)
  const rows = sets.reduce((sum, same) => sum + same.length - 1, 0)
  const isBoth = (same: typeof scored) => same.some(({ row }) => row.fake) && same.some(({ row }) => !row.fake)
  const contradictory = sets.filter(isBoth).length
  const examples = sets.toSorted((a, b) => Number(isBoth(b)) - Number(isBoth(a))).slice(0, NAMED)
  const ids = examples.map((same) => same.slice(0, NAMED).map(({ row }) => row.id))
  return rows === 0 ? undefined : { rows, contradictory, examples: ids }
}
