import { sha256OfFile } from '../../core/files.js'

/** Hex digits of the digest that a place is made of. */
const DIGITS = 8

/**
 * Places to look at that the maker of a file could not choose other than by making many files, as shares from 0 to below 1. They follow
 * from its bytes, so that the same file always gets the same answer.
 * @param count at most 8
 */
export async function spotPlaces(file: string, count: number): Promise<number[]> {
  const digest = await sha256OfFile(file)
  return Array.from({ length: count }, (_, index) => {
    const digits = digest.slice(DIGITS * index, DIGITS * (index + 1))
    return Number.parseInt(digits, 16) / 16 ** DIGITS
  })
}

/** One of several pieces, at such a place; undefined where there is none. */
export async function spotOf<T>(file: string, pieces: readonly T[]): Promise<T | undefined> {
  if (pieces.length === 0) return undefined
  const [place] = (await spotPlaces(file, 1)) as [number]
  return pieces[Math.floor(place * pieces.length)]
}
