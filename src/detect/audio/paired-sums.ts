// Opcodes of WebAssembly and of its vectors of 128 bits (WebAssembly 2.0, section 5.4).
const LOOP = [0x03, 0x40]
const IF = [0x04, 0x40]
const END = 0x0b
const BRANCH_IF = [0x0d, 0]
const ADD_I32 = 0x6a
const LESS_I32 = 0x49
const ADD = 0xa0
const MULTIPLY = 0xa2
const ADD_PAIRS = [0xfd, 0xf0, 0x01]
const MULTIPLY_PAIRS = [0xfd, 0xf2, 0x01]
const get = (local: number) => [0x20, local]
const set = (local: number) => [0x21, local]
const constant = (value: number) => [0x41, value]
const loadDouble = (offset: number) => [0x2b, 3, offset]
const loadPair = (offset: number) => [0xfd, 0x00, 3, offset]
const storeDouble = (offset: number) => [0x39, 3, offset]
const ofPair = (index: number) => [0xfd, 0x21, index]

// One function adds up two sums of products at once: each as four sums that take every fourth product and do not wait for each
// other, added as first + second + (third + fourth). Its bits are those of the same loop in JavaScript, where V8 checks each
// index: that takes three to four times as long.

/** Parameters: addresses of weights and values, twice; where the first weights' groups of four end; whether two follow. */
const [WEIGHTS, VALUES, OTHER_WEIGHTS, OTHER_VALUES, STOP, IS_LONGER] = [0, 1, 2, 3, 4, 5] as const
/** Of both: the first and second of the four sums, then the third and fourth; and the first of them alone. */
const [LOW, HIGH, OTHER_LOW, OTHER_HIGH, FIRST] = [6, 7, 8, 9, 10] as const
const BYTES_OF_FOUR = 32

const addPairs = (sums: number, weights: number, values: number, offset: number) =>
  [
    get(sums),
    get(weights),
    loadPair(offset),
    get(values),
    loadPair(offset),
    MULTIPLY_PAIRS,
    ADD_PAIRS,
    set(sums),
  ].flat()
const addOne = (weights: number, values: number, offset: number) =>
  [get(FIRST), get(weights), loadDouble(offset), get(values), loadDouble(offset), MULTIPLY, ADD, set(FIRST)].flat()
const advance = (address: number) => [get(address), constant(BYTES_OF_FOUR), ADD_I32, set(address)].flat()
/** Adds what is left over to the first sum, and all four into an address. */
const finish = (low: number, high: number, weights: number, values: number, to: number) => [
  [get(low), ofPair(0), set(FIRST)].flat(),
  [get(IS_LONGER), IF, addOne(weights, values, 0), addOne(weights, values, 8), END].flat(),
  [constant(0), get(FIRST), get(low), ofPair(1), ADD].flat(),
  [get(high), ofPair(0), get(high), ofPair(1), ADD, ADD, storeDouble(to)].flat(),
]

const CODE = [
  LOOP,
  addPairs(LOW, WEIGHTS, VALUES, 0),
  addPairs(HIGH, WEIGHTS, VALUES, 16),
  addPairs(OTHER_LOW, OTHER_WEIGHTS, OTHER_VALUES, 0),
  addPairs(OTHER_HIGH, OTHER_WEIGHTS, OTHER_VALUES, 16),
  ...[WEIGHTS, VALUES, OTHER_WEIGHTS, OTHER_VALUES].map(advance),
  [get(WEIGHTS), get(STOP), LESS_I32, BRANCH_IF, END].flat(),
  ...finish(LOW, HIGH, WEIGHTS, VALUES, 0),
  ...finish(OTHER_LOW, OTHER_HIGH, OTHER_WEIGHTS, OTHER_VALUES, 8),
  END,
].flat()

/** Bytes behind their number, in LEB128 of two bytes. */
const sized = (bytes: readonly number[]): number[] => [(bytes.length & 0x7f) | 0x80, bytes.length >> 7, ...bytes]
const I32 = 0x7f
/** Four locals of 128 bits and one double. */
const LOCALS = [2, 4, 0x7b, 1, 0x7c]
const MODULE = Uint8Array.from(
  [
    [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    [1, ...sized([1, 0x60, 6, I32, I32, I32, I32, I32, I32, 0])],
    // A memory "m" of "m" is imported, the one function is exported as "f".
    [2, ...sized([1, 1, 0x6d, 1, 0x6d, 2, 0, 1])],
    [3, ...sized([1, 0])],
    [7, ...sized([1, 1, 0x66, 0, 0])],
    [10, ...sized([1, ...sized([...LOCALS, ...CODE])])],
  ].flat(),
)

// The types of Node do not have it.
declare const WebAssembly: {
  readonly Memory: new (size: { initial: number }) => { readonly buffer: ArrayBuffer; grow(pages: number): number }
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object, imports: object) => { readonly exports: object }
}

const PAGE_BYTES = 65_536
const memory = new WebAssembly.Memory({ initial: 1 })
const { f: addUp } = new WebAssembly.Instance(new WebAssembly.Module(MODULE), { m: { m: memory } }).exports as {
  f: (...parameters: number[]) => void
}
let doubles = new Float64Array(memory.buffer)

/** First place that is free; before it lie the two sums. */
export const FREE_PLACE = 2

/**
 * The doubles that `pairedSums` works on, one memory for all. What was written stays; the array itself is replaced where it grows.
 * @param places how many are needed
 */
export function sumsWorkspace(places: number): Float64Array {
  const missing = places * Float64Array.BYTES_PER_ELEMENT - memory.buffer.byteLength
  if (missing > 0) {
    memory.grow(Math.ceil(missing / PAGE_BYTES))
    doubles = new Float64Array(memory.buffer)
  }
  return doubles
}

/**
 * Puts the sum of the products of `count` weights and values into place 0 of the workspace, and that of others into place 1.
 * @param weights place of the first one, as of the others @param count even, at least 4
 */
export function pairedSums(
  weights: number,
  values: number,
  otherWeights: number,
  otherValues: number,
  count: number,
): void {
  const stop = weights + (count & ~3)
  addUp(weights << 3, values << 3, otherWeights << 3, otherValues << 3, stop << 3, count & 3)
}
