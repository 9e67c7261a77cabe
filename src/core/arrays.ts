/** Of more items than wanted, this many spread evenly, the first and the last among them. */
export function spread<T>(items: readonly T[], most: number): T[] {
  if (items.length <= most) return [...items]
  const step = most === 1 ? 0 : (items.length - 1) / (most - 1)
  return Array.from({ length: most }, (_, index) => items[Math.round(index * step)] as T)
}

/** The middle value; of an even number the mean of both in the middle, of none NaN. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  return ((sorted[Math.floor(middle)] as number) + (sorted[Math.ceil(middle) - 1] as number)) / 2
}

/** Items by a key of theirs, in the order of their first ones. */
export function groupedBy<Key, T>(items: Iterable<T>, keyOf: (item: T) => Key): Map<Key, T[]> {
  const groups = new Map<Key, T[]>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group) group.push(item)
    else groups.set(key, [item])
  }
  return groups
}
