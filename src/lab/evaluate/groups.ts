import { groupedBy } from '../../core/arrays.js'
import type { Random } from '../../core/clock.js'
import { statedIn } from '../data/row-fields.js'
import { type LabeledScore, sum } from '../metrics/ranked-scores.js'
import type { EvaluationGroup } from './evaluation.js'
import { figure, figuresOf, flaggedOf, ROW_METRICS } from './row-metrics.js'
import type { ScoredRow } from './scored-row.js'

/** Most values of a column that get a line; more of them are no grouping any more. */
const MAX_GROUPS = 60

/** Heading of the table of a column. */
export const groupTitle = (column: string, { length }: readonly unknown[]): string =>
  `By ${column}${length < MAX_GROUPS ? '' : ` (the ${MAX_GROUPS} largest)`}`

const GROUP_METRICS = { auc: ROW_METRICS.auc, tprAt5: ROW_METRICS.tprAt5, tprAt1: ROW_METRICS.tprAt1 }

/** The rows of one value of a column, and those that they are ranked against. */
export interface RowGroup<Row> {
  readonly value: string
  readonly members: readonly Row[]
  /** The members, and where they are of one class, all rows of the other class. */
  readonly ranked: readonly Row[]
  readonly against: EvaluationGroup['against']
}

/** Rows by the value of a column, largest group first; none for rows that do not state it. */
export function groupRows<Row extends Pick<ScoredRow, 'row'>>(column: string, rows: readonly Row[]): RowGroup<Row>[] {
  const groups = groupedBy(rows, ({ row }) => statedIn(row, column) ?? '')
  groups.delete('')
  const largest = [...groups].toSorted((a, b) => b[1].length - a[1].length).slice(0, MAX_GROUPS)
  return largest.map(([value, members]) => {
    const fakes = members.filter(({ row }) => row.fake).length
    const against = fakes === 0 ? 'all-fake' : fakes === members.length ? 'all-real' : 'own'
    const others = against === 'own' ? [] : rows.filter(({ row }) => row.fake === (against === 'all-fake'))
    return { value, members, against, ranked: [...members, ...others] }
  })
}

/** The figures of each value of a column. A group of one class is set against all rows of the other class. */
export const groupsBy = (column: string, scored: readonly ScoredRow[], random: Random): EvaluationGroup[] =>
  groupRows(column, scored).map((group) => groupOf(group, random))

function groupOf({ value, members, against, ranked }: RowGroup<ScoredRow>, random: Random): EvaluationGroup {
  const own = labeledScores(members)
  const fakes = own.filter(({ fake }) => fake).length
  const { realFlagged, fakeFlagged } = flaggedOf(own)
  return {
    value,
    real: own.length - fakes,
    fake: fakes,
    against,
    ...figuresOf(labeledScores(ranked), GROUP_METRICS, random),
    meanRisk: figure(sum(own.map(({ score }) => score)) / own.length),
    realFlagged: realFlagged.value,
    fakeFlagged: fakeFlagged.value,
    realFlaggedInterval: realFlagged.interval,
    fakeFlaggedInterval: fakeFlagged.interval,
    unsure: figure(members.filter(({ detection }) => detection?.unsure).length / own.length),
    refused: members.length - own.length,
  }
}

/** The risks of the rows that have one, with their class. */
export function labeledScores(scored: readonly ScoredRow[]): LabeledScore[] {
  return scored.flatMap(({ detection, row: { fake } }) => (detection ? [{ score: detection.risk, fake }] : []))
}
