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
  const rows: (ExamRow | null)[] = [
    atLeast('minAuc', thresholds, all?.auc.value),
    atLeast('minTprAt5', thresholds, all?.tprAt5.value),
    atLeast('minTprAt1', thresholds, all?.tprAt1.value),
    atMost('maxFpr', thresholds, all?.realFlagged.value),
    atMost('maxEce', thresholds, all?.ece.value),
    atMost('maxAbstainRate', thresholds, abstained),
    atLeast('minRows', thresholds, all && Math.min(all.real, all.fake)),
    atMost('maxLatencyMs', thresholds, sample.medianMs),
    atMost('maxMemoryMb', thresholds, sample.rssBytes / MIB),
    allowedLicenses(thresholds, packageLicenses),
  ]
  return rows.filter((row) => row !== null)
}

type NumberName = Exclude<keyof Thresholds, 'licenses'>
type Measured = number | null | undefined

function atLeast(threshold: NumberName, thresholds: Thresholds, measured: Measured): ExamRow | null {
  const limit = thresholds[threshold]
  return limit === undefined ? null : rowOf(threshold, `at least ${limit}`, measured, (value) => value >= limit)
}

function atMost(threshold: NumberName, thresholds: Thresholds, measured: Measured): ExamRow | null {
  const limit = thresholds[threshold]
  return limit === undefined ? null : rowOf(threshold, `at most ${limit}`, measured, (value) => value <= limit)
}

function rowOf(threshold: NumberName, wanted: string, given: Measured, passes: (value: number) => boolean): ExamRow {
  const measured = given === null || given === undefined ? null : Number(given.toPrecision(6))
  return { threshold, wanted, measured, passed: measured !== null && passes(measured) }
}

function allowedLicenses({ licenses }: Thresholds, stated: readonly string[]): ExamRow | null {
  if (licenses === undefined) return null
  const plain = (text: string) => text.trim().toLowerCase()
  const allowed = licenses.map(plain)
  const passed = stated.every((license) => allowed.includes(plain(license)))
  const measured = [...new Set(stated)].join(' | ')
  return { threshold: 'licenses', wanted: `one of ${licenses.join(' | ')}`, measured, passed }
}
