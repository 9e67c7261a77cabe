import { createHash } from 'node:crypto'

/** Parts that rows are dealt into; each is judged by a fit of the others. */
export const FOLDS = 5

/** A fold for each row: those of one group stay together, groups go where the fewest rows are, by hash among equals. */
export function foldsByGroup(groups: readonly string[]): number[] {
  const sizes = new Map<string, number>()
  for (const group of groups) sizes.set(group, (sizes.get(group) ?? 0) + 1)
  const order = [...sizes].toSorted(([a, rowsA], [b, rowsB]) => rowsB - rowsA || (hash(a) < hash(b) ? -1 : 1))
  const filled = Array.from({ length: FOLDS }, () => 0)
  const foldOf = new Map<string, number>()
  for (const [group, rows] of order) {
    const fold = filled.indexOf(Math.min(...filled))
    foldOf.set(group, fold)
    filled[fold] = (filled[fold] ?? 0) + rows
  }
  return groups.map((group) => foldOf.get(group) as number)
}

const hash = (text: string): string => createHash('sha256').update(text).digest('hex')
