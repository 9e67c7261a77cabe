import type { Chance } from './chance.js'

/** Lengths and counts at which parsers go wrong, big end first. */
const EXTREMES = ['00', 'ff', '7f', '0000', 'ffff', '00000000', '00000001', '7fffffff', '80000000', 'ffffffff'].map(
  (hex) => Buffer.from(hex, 'hex'),
)
/** Where formats keep what matters, bytes. */
const HEAD = 512
/** Longest stretch that is cut out, doubled or zeroed, bytes. */
const STRETCH = 4096

type Change = (bytes: Buffer, chance: Chance, other: Buffer) => Buffer

/** Half of all changes fall into the head. */
const place = (bytes: Buffer, chance: Chance) =>
  chance.below(chance.happens(0.5) ? Math.min(HEAD, bytes.length) : bytes.length)
const stretch = (bytes: Buffer, chance: Chance): [number, number] => {
  const from = place(bytes, chance)
  return [from, Math.min(bytes.length, from + 1 + chance.below(STRETCH))]
}
const replaced = (bytes: Buffer, from: number, to: number, middle: Buffer) =>
  Buffer.concat([bytes.subarray(0, from), middle, bytes.subarray(to)])

const CHANGES: readonly Change[] = [
  (bytes, chance) => {
    const at = place(bytes, chance)
    return replaced(bytes, at, at + 1, Buffer.from([(bytes[at] ?? 0) ^ (1 << chance.below(8))]))
  },
  (bytes, chance) => {
    const at = place(bytes, chance)
    return replaced(bytes, at, at + 1, chance.bytes(1))
  },
  (bytes, chance) => {
    const [at, value] = [place(bytes, chance), chance.pick(EXTREMES)]
    return replaced(bytes, at, at + value.length, value)
  },
  (bytes, chance) => bytes.subarray(0, place(bytes, chance)),
  (bytes, chance) => {
    const [from, to] = stretch(bytes, chance)
    return replaced(bytes, from, to, Buffer.alloc(0))
  },
  (bytes, chance) => {
    const [from, to] = stretch(bytes, chance)
    return replaced(bytes, from, from, bytes.subarray(from, to))
  },
  (bytes, chance) => {
    const [from, to] = stretch(bytes, chance)
    return replaced(bytes, from, to, Buffer.alloc(to - from, chance.pick([0, 0xff])))
  },
  (bytes, chance, other) => replaced(bytes, place(bytes, chance), bytes.length, other.subarray(place(other, chance))),
  (bytes, chance, other) => replaced(bytes, place(bytes, chance), bytes.length, other),
]

/** Bytes with one to six changes: bits, bytes and lengths, cuts, doubled and zeroed stretches, parts of another input. */
export function mutatedBytes(bytes: Buffer, chance: Chance, other: Buffer): Buffer {
  let changed = bytes
  for (let left = 1 + chance.below(6); left > 0; left--) {
    if (changed.length > 0) changed = chance.pick(CHANGES)(changed, chance, other)
  }
  return changed
}
