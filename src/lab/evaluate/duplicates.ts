import type { Evaluation } from './evaluation.js'
import type { ScoredRow } from './scored-row.js'

/** Sets of equal files that are named. */
const NAMED = 5

/** Rows whose bytes another row has too, which count more than once in every figure; undefined where there are none. */
export function duplicatesIn(scored: readonly Pick<ScoredRow, 'row' | 'sha256'>[]): Evaluation['data']['duplicates'] {
  const same = new Map<string, string[]>()
  for (const { row, sha256 } of scored) same.set(sha256, [...(same.get(sha256) ?? []), row.id])
  const sets = [...same.values()].filter((ids) => ids.length > 1)
  const rows = sets.reduce((sum, ids) => sum + ids.length - 1, 0)
  return rows === 0 ? undefined : { rows, examples: sets.slice(0, NAMED) }
}
