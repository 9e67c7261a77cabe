import { expect, it } from 'vitest'
import { plattTargets } from '../../../src/lab/calibrate/calibration-row.js'
import { row } from './drawn-rows.js'

it.each([
  [0, 0, 1 / 2, 1 / 2],
  [1, 0, 2 / 3, 1 / 2],
  [3, 8, 4 / 5, 1 / 10],
])('targets of %i fakes and %i reals', (fakes, reals, fake, real) => {
  const rows = Array.from({ length: fakes + reals }, (_, index) => row(0, index < fakes))
  expect(plattTargets(rows)).toEqual({ fake: expect.closeTo(fake, 12), real: expect.closeTo(real, 12) })
})
