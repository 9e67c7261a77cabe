import type { Random } from '../../core/clock.js'
import type { Detection } from '../../detect/detection.js'
import type { DataRow } from '../data/data-row.js'
import { groupRows } from '../evaluate/groups.js'
import { figure } from '../evaluate/row-metrics.js'
import type { ScoredRow } from '../evaluate/scored-row.js'
import { bootstrapIntervals, type Interval, type Metric } from '../metrics/bootstrap.js'
import { type McNemar, mcNemar } from '../metrics/mcnemar.js'
import { rankScores } from '../metrics/ranked-scores.js'
import { brierScore } from '../metrics/reliability.js'
import { areaUnderRoc, tprAtFpr } from '../metrics/roc.js'

/** A row that both detectors scored. */
interface Pair {
  readonly row: DataRow
  readonly first: Detection
  readonly second: Detection
}

/** A metric of both on the same rows, and the first less the second with its interval. */
export interface PairedFigure {
  readonly first: number | null
  readonly second: number | null
  readonly difference: number | null
  readonly interval: Interval | null
}

/** Two detectors on the same rows. */
export interface Comparison {
  /** Rows that both scored, and those that one or both refused. */
  readonly rows: {
    readonly both: number
    readonly onlyFirst: number
    readonly onlySecond: number
    readonly neither: number
  }
  readonly auc: PairedFigure
  readonly tprAt5: PairedFigure
  /** The lower, the better. */
  readonly brier: PairedFigure
  /** Share of the rows that both put on the same side of a risk of 0.5. */
  readonly agreement: number | null
  /** Who alone is right at a risk of 0.5. */
  readonly mcNemar: McNemar
  /** Who has the higher AUC, as far as these rows can show. */
  readonly better: 'first' | 'second' | 'undecided'
  readonly groups: Readonly<Record<string, readonly (PairedFigure & { value: string; real: number; fake: number })[]>>
}

/** Compares two detectors row by row. @param first the results of each for the same rows, in the same order */
export function compareScored(
  first: readonly ScoredRow[],
  second: readonly ScoredRow[],
  by: readonly string[],
  random: Random,
): Comparison {
  const pairs: Pair[] = []
  const rows = { both: 0, onlyFirst: 0, onlySecond: 0, neither: 0 }
  for (const [index, { row, detection }] of first.entries()) {
    const other = second[index]?.detection ?? null
    if (detection && other) pairs.push({ row, first: detection, second: other })
    rows[detection ? (other ? 'both' : 'onlyFirst') : other ? 'onlySecond' : 'neither']++
  }
  const auc = pairedFigure(pairs, areaUnderRoc, random)
  return {
    rows,
    auc,
    tprAt5: pairedFigure(pairs, (ranked) => tprAtFpr(ranked, 0.05), random),
    brier: pairedFigure(pairs, brierScore, random),
    agreement: figure(pairs.filter((pair) => isFlagged(pair.first) === isFlagged(pair.second)).length / pairs.length),
    mcNemar: mcNemar(aloneRight(pairs, 'first', 'second'), aloneRight(pairs, 'second', 'first')),
    better: betterBy(auc.interval),
    groups: Object.fromEntries(by.map((column) => [column, groupFigures(column, pairs, random)])),
  }
}

function groupFigures(column: string, pairs: readonly Pair[], random: Random): Comparison['groups'][string] {
  return groupRows(column, pairs).map(({ value, members, ranked }) => {
    const fake = members.filter(({ row }) => row.fake).length
    return { value, real: members.length - fake, fake, ...pairedFigure(ranked, areaUnderRoc, random) }
  })
}

function pairedFigure(pairs: readonly Pair[], metric: Metric, random: Random): PairedFigure {
  const scores = (which: 'first' | 'second') => pairs.map((pair) => ({ score: pair[which].risk, fake: pair.row.fake }))
  const [ofFirst, ofSecond] = [scores('first'), scores('second')]
  const [first, second] = [metric(rankScores(ofFirst)), metric(rankScores(ofSecond))]
  const { interval } = bootstrapIntervals(
    [ofFirst, ofSecond],
    { interval: (one, other) => metric(one) - metric(other) },
    random,
  )
  return { first: figure(first), second: figure(second), difference: figure(first - second), interval }
}

function aloneRight(pairs: readonly Pair[], one: 'first' | 'second', other: 'first' | 'second'): number {
  const isRight = (detection: Detection, { fake }: DataRow) => isFlagged(detection) === fake
  return pairs.filter((pair) => isRight(pair[one], pair.row) && !isRight(pair[other], pair.row)).length
}

const isFlagged = ({ risk }: Detection): boolean => risk >= 0.5

function betterBy(interval: Interval | null): Comparison['better'] {
  if (interval === null || (interval.low <= 0 && interval.high >= 0)) return 'undecided'
  return interval.low > 0 ? 'first' : 'second'
}
