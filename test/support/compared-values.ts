import { expect } from 'vitest'

/**
 * Setup of every test file. A regular expression in an expected object is compared with the text in its place:
 * `toMatchObject` accepts anything for one, as it has no keys that could differ. Arrays of bytes and numbers are compared
 * as a whole first: one element after the other takes 2 µs for each.
 */
const worker = globalThis as { comparesValues?: true }
if (!worker.comparesValues) {
  worker.comparesValues = true
  expect.addEqualityTesters([
    (actual, expected) => {
      if (!(expected instanceof RegExp) || actual instanceof RegExp) return undefined
      return typeof actual === 'string' && actual.search(expected) !== -1
    },
    (actual, expected) => {
      if (!ArrayBuffer.isView(actual) || !ArrayBuffer.isView(expected)) return undefined
      // What differs is left to vitest, which tells -0 from 0 and takes one NaN for another.
      return (actual.constructor === expected.constructor && bytesOf(actual).equals(bytesOf(expected))) || undefined
    },
  ])
}

const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView) => Buffer.from(buffer, byteOffset, byteLength)
