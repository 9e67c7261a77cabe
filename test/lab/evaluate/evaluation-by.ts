import type { LoadedPackage } from '../../../src/detect/package/package-loader.js'
import { evaluate } from '../../../src/lab/evaluate/evaluate.js'
import type { Evaluation } from '../../../src/lab/evaluate/evaluation.js'
import type { ScoredRow } from '../../../src/lab/evaluate/scored-row.js'
import { seededRandom } from '../../../src/lab/metrics/seeded-random.js'

/** The evaluation of a package by these rows, made at one moment on one machine. */
export function evaluationBy(
  detector: LoadedPackage,
  scored: readonly ScoredRow[],
  { prior = null, by = [] }: { prior?: number | null; by?: readonly string[] } = {},
): Evaluation {
  return evaluate(scored, {
    detector,
    data: { from: 'index.csv', limit: null, otherMedia: 0, prior },
    by,
    command: 'attestd models eval x',
    attestd: '0.1.0',
    node: 'v24',
    platform: 'test',
    now: Date.UTC(2026, 10, 22, 13, 5, 7),
    random: seededRandom(1),
  })
}
