import type { LabeledScore } from '../../../src/lab/metrics/ranked-scores.js'
import { seededRandom } from '../../../src/lab/metrics/seeded-random.js'

/** Seeds of the random rows on which each metric is set against its definition, computed the slow way. */
export const ROUNDS = Array.from({ length: 25 }, (_, seed) => seed)

/** Rows with many ties, of both classes. */
export function randomRows(seed: number): LabeledScore[] {
  const random = seededRandom(seed)
  const rows = Array.from({ length: 2 + Math.floor(40 * random()) }, () => ({
    score: Math.floor(11 * random()) / 10,
    fake: random() < 0.4,
  }))
  return [...rows, { score: random(), fake: true }, { score: random(), fake: false }]
}

/** How many of the rows pass the test, from 0 to 1. */
export const share = <Row>(rows: readonly Row[], test: (row: Row) => boolean) => rows.filter(test).length / rows.length
