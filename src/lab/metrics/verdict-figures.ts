import { groupedBy } from '../../core/arrays.js'
import type { Random } from '../../core/clock.js'
import { intervalOf } from './bootstrap.js'
import { VERDICT_RISK } from './verdicts.js'

/** Resamples of whole sources behind the lower end. */
const RESAMPLES = 400

/** A row and its verdict: null where the detector abstains. */
export interface VerdictRow {
  readonly fake: boolean
  readonly called: 'fake' | 'real' | null
  /** Rows of one source are drawn together. */
  readonly source: string
}

/** The verdict of a risk. */
export const verdictOf = (risk: number, unsure: boolean): VerdictRow['called'] =>
  unsure ? null : risk >= VERDICT_RISK ? 'fake' : 'real'

/**
 * What verdicts are worth at even odds: both classes weigh the same, however many rows they have. NaN where there are no such rows.
 * @returns shares: of all rows that get a verdict; of the verdicts that are right; of those that state fake; that state real
 */
export function verdictFigures(rows: readonly VerdictRow[]) {
  const share = (fake: boolean, called: VerdictRow['called']) => {
    const mine = rows.filter((row) => row.fake === fake)
    return mine.filter((row) => row.called === called).length / mine.length
  }
  const [hits, misses] = [share(true, 'fake'), share(true, 'real')]
  const [alarms, passes] = [share(false, 'fake'), share(false, 'real')]
  const decided = hits + misses + alarms + passes
  return {
    decided: decided / 2,
    right: (hits + passes) / decided,
    rightWhenFake: hits / (hits + alarms),
    rightWhenReal: passes / (passes + misses),
  }
}

/**
 * Lower end of the 95 % interval of `right`, by drawing whole sources of each class; null where it has none, and where a class
 * is of one source: drawn again it is the same, which is no interval.
 */
export function rightAtLeast(rows: readonly VerdictRow[], random: Random): number | null {
  const sources = [true, false].map((fake) => [
    ...groupedBy(
      rows.filter((row) => row.fake === fake),
      ({ source }) => source,
    ).values(),
  ])
  if (sources.some((groups) => groups.length < 2)) return null
  const draw = () =>
    sources.flatMap((groups) =>
      groups.flatMap(() => groups[Math.floor(random() * groups.length)] as readonly VerdictRow[]),
    )
  const found = Array.from({ length: RESAMPLES }, () => verdictFigures(draw()).right)
  return intervalOf(found)?.low ?? null
}
