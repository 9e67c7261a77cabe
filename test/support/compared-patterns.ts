import { expect } from 'vitest'

/**
 * Setup of every test file: a regular expression in an expected object is compared with the text in its place. `toMatchObject`
 * accepts anything for one, as it has no keys that could differ.
 */
const worker = globalThis as { comparesPatterns?: true }
if (!worker.comparesPatterns) {
  worker.comparesPatterns = true
  expect.addEqualityTesters([
    (actual, expected) => {
      if (!(expected instanceof RegExp) || actual instanceof RegExp) return undefined
      return typeof actual === 'string' && actual.search(expected) !== -1
    },
  ])
}
