import type { Evaluation } from '../evaluate/evaluation.js'
import type { SampleMeasurement } from '../measure/measure-sample.js'
import type { Thresholds } from './thresholds.js'

const MIB = 1024 * 1024

/** One question of the exam. */
export interface ExamRow {
  readonly threshold: keyof Thresholds
  /** Such as `at least 0.8`. */
  readonly wanted: string
  /** Null where it could not be measured, which fails. */
  readonly measured: number | string | null
  readonly passed: boolean
}

export interface Examined {
  /** Of the package and of those that it uses, whose weights decide with it. */
  readonly packageLicenses: readonly string[]
  readonly sample: Pick<SampleMeasurement, 'medianMs' | 'rssBytes'>
  /** Null where no threshold needs labeled data. */
  readonly evaluation: Evaluation | null
}

/** Holds what was measured against each threshold that is stated. */
export function examine(thresholds: Thresholds, { packageLicenses, sample, evaluation }: Examined): ExamRow[] {
  const all = evaluation?.all
  const data = evaluation?.data
  const abstained = evaluation && data && data.rows > 0 ? 1 - evaluation.sure.rows / data.rows : null
  const ask = (side: 'at least' | 'at most', threshold: NumberName, measured: number | null | undefined) =>
    rowOf(side, threshold, thresholds[threshold], measured)
  const rows: (ExamRow | null)[] = [
    ask('at least', 'minAuc', all?.auc.value),
    ask('at least', 'minTprAt5', all?.tprAt5.value),
    ask('at least', 'minTprAt1', all?.tprAt1.value),
    ask('at most', 'maxFpr', all?.realFlagged.value),
    ask('at most', 'maxEce', all?.ece.value),
    ask('at most', 'maxAbstainRate', abstained),
    ask('at least', 'minRows', all && Math.min(all.real, all.fake)),
    ask('at most', 'maxLatencyMs', sample.medianMs),
    ask('at most', 'maxMemoryMb', sample.rssBytes / MIB),
    allowedLicenses(thresholds, packageLicenses),
  ]
  return rows.filter((row) => row !== null)
}

type NumberName = Exclude<keyof Thresholds, 'licenses'>

function rowOf(
  side: 'at least' | 'at most',
  threshold: NumberName,
  limit: number | undefined,
  given: number | null | undefined,
): ExamRow | null {
  if (limit === undefined) return null
  const measured = given === null || given === undefined ? null : Number(given.toPrecision(6))
  const passed = measured !== null && (side === 'at least' ? measured >= limit : measured <= limit)
  return { threshold, wanted: `${side} ${limit}`, measured, passed }
}

function allowedLicenses({ licenses }: Thresholds, stated: readonly string[]): ExamRow | null {
  if (licenses === undefined) return null
  const plain = (text: string) => text.trim().toLowerCase()
  const allowed = licenses.map(plain)
  const passed = stated.every((license) => allowed.includes(plain(license)))
  const measured = [...new Set(stated)].join(' | ')
  return { threshold: 'licenses', wanted: `one of ${licenses.join(' | ')}`, measured, passed }
}
