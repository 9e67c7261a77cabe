/** Of more items than wanted, this many spread evenly, the first and the last among them. */
export function spread<T>(items: readonly T[], most: number): T[] {
  if (items.length <= most) return [...items]
  const step = most === 1 ? 0 : (items.length - 1) / (most - 1)
  return Array.from({ length: most }, (_, index) => items[Math.round(index * step)] as T)
}
