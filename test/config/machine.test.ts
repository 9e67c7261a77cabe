import { expect, it } from 'vitest'
import { detectorWorkersFor, thisMachine } from '../../src/config/machine.js'

const GIB = 1024 ** 3

it.each([
  [1, 8, 1],
  [2, 8, 2],
  [4, 8, 3],
  [16, 64, 15],
  // Half of the memory holds one process, or three, or none, and one is the least.
  [2, 1, 1],
  [16, 2, 3],
  [2, 0.25, 1],
])('on %i cores with %d GiB runs as many detector processes as both allow', (cores, gibibytes, workers) => {
  expect(detectorWorkersFor({ cores, memoryBytes: gibibytes * GIB })).toBe(workers)
})

it('reads cores and memory of this machine', () => {
  const { cores, memoryBytes } = thisMachine()
  expect(cores).toBeGreaterThanOrEqual(1)
  expect(memoryBytes).toBeGreaterThan(64 * 1024 ** 2)
  expect(Number.isFinite(memoryBytes)).toBe(true)
})
