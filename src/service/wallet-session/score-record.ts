import { type Risk, riskOfBasisPoints } from '../../core/risk.js'
import { cleanText } from '../../core/text.js'
import { asRecord } from '../record.js'
import { ALGORITHM_MAX } from '../wire-fields.js'
import { numberOf, unixMsOf } from './unix-time.js'

/** Reads score records, of which the specification shows no field ("not shown"). */

const ATTESTER_FIELDS = ['attesterAddress', 'attester', 'verifierAddress', 'verifier', 'address', 'wallet'] as const
const TIME_FIELDS = ['createdAt', 'submittedAt', 'timestamp', 'updatedAt', 'time'] as const
const ID_FIELDS = ['id', 'scoreId'] as const
const ADDRESS = /^0x[0-9a-fA-F]{40}$/

export const scoresIn = (record: Record<string, unknown>): unknown[] | null =>
  Array.isArray(record.scores) ? record.scores : null

/** Whose score it is, lower case; null where the record does not state. */
export function attesterIn(record: Record<string, unknown>): string | null {
  for (const field of ATTESTER_FIELDS) {
    const found = asRecord(record[field])?.address ?? record[field]
    if (typeof found === 'string' && ADDRESS.test(found)) return found.toLowerCase()
  }
  return null
}

export function scoreIdIn(record: Record<string, unknown>): string | null {
  const id = ID_FIELDS.map((field) => record[field]).find((found) => found !== undefined && found !== null)
  if (typeof id === 'string' && id !== '') return id
  return typeof id === 'number' ? String(id) : null
}

/** The risk that was recorded, in whole basis points; null where none can be read. */
export function riskIn(record: Record<string, unknown>): Risk | null {
  const bps = basisPointsIn(record)
  return bps === null ? null : riskOfBasisPoints(Math.round(bps))
}

function basisPointsIn({ deepfakeRiskBps, deepfakeRiskScore, authenticityScore }: Record<string, unknown>) {
  const bps = within(numberOf(deepfakeRiskBps), 10_000)
  if (bps !== null) return bps
  const percent = within(numberOf(deepfakeRiskScore), 100)
  if (percent !== null) return percent * 100
  const authenticity = within(numberOf(authenticityScore), 100)
  return authenticity === null ? null : (100 - authenticity) * 100
}

/** A score that the service shows: its risk, and its algorithm label where it shows that. */
export interface OwnScore {
  readonly risk: Risk
  readonly algorithm: string | undefined
}

/**
 * The newest score that an attester has on record among these; null where there is none.
 * @returns `unreadable` where that cannot be determined: an own score without a readable risk, or, with none of its own, a
 *   score of which no attester can be read
 */
export function ownScore(scores: readonly unknown[], attester: string): OwnScore | null | 'unreadable' {
  const records = scores.map((score) => asRecord(score) ?? {})
  const own = records.filter((record) => attesterIn(record) === attester.toLowerCase())
  if (own.length === 0) return records.some((record) => attesterIn(record) === null) ? 'unreadable' : null
  // Of records that state no time the last one counts: lists grow at their end.
  const newest = own.reduce((best, record) => (timeOf(record) >= timeOf(best) ? record : best))
  const risk = riskIn(newest)
  if (risk === null) return 'unreadable'
  return {
    risk,
    algorithm: typeof newest.algorithm === 'string' ? cleanText(newest.algorithm, ALGORITHM_MAX) : undefined,
  }
}

const timeOf = (record: Record<string, unknown>): number =>
  TIME_FIELDS.map((field) => unixMsOf(record[field])).find((time) => time !== null) ?? Number.NEGATIVE_INFINITY

const within = (value: number | null, max: number): number | null =>
  value !== null && value >= 0 && value <= max ? value : null
