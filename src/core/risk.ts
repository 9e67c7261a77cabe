import { z } from 'zod'

/**
 * How likely media is to be fake, in the two units that have a name. Neither can stand where the other is meant: the
 * compiler refuses it, and a bare number is neither.
 */
declare const UNIT: unique symbol

/** A probability, 0 to 1: the unit of everything inside. */
export type Risk = number & { readonly [UNIT]: 'probability' }

/** A percentage, 0 to 100: the unit of what is stored, printed and shown. */
export type RiskPercent = number & { readonly [UNIT]: 'percentage' }

/** Checks that a number is a probability, 0 to 1; NaN is none. Changes nothing. */
export const riskSchema = z.custom<Risk>((value) => isWithin(value, 1), 'must be a probability')
/** Checks that a number is a percentage, 0 to 100, as stored data states risks; `storedRisk` decodes it. */
export const riskPercentSchema = z.custom<RiskPercent>((value) => isWithin(value, 100), 'must be a percentage')

/** The risk of a job, result or ledger line: stored as a percentage from 0 to 100, as ever; a probability here. */
export const storedRisk = z.codec(riskPercentSchema, riskSchema, { decode: riskOfPercent, encode: percentOf })

/** Digits of a decimal that a double keeps: 0.00015 is a hair less as a double, and still is half a basis point. */
const KEPT_DIGITS = 15

/** @throws RangeError where it is no probability, such as a percentage above 1 */
export function asRisk(probability: number): Risk {
  if (isWithin(probability, 1)) return probability as Risk
  throw new RangeError(`A risk is a probability from 0 to 1, not ${probability}.`)
}

/** The risk that a percentage states, unrounded. @throws RangeError where it is not from 0 to 100 */
export function riskOfPercent(percent: number): Risk {
  return asRisk(exact(percent / 100))
}

/** A risk as a percentage, unrounded; `riskOfPercent` takes it back. */
export function percentOf(risk: Risk): RiskPercent {
  return exact(risk * 100) as RiskPercent
}

/** @throws RangeError where it is not from 0 to 10000 */
export const riskOfBasisPoints = (bps: number): Risk => asRisk(bps / 10_000)

/** A risk in whole basis points, 0 to 10000, rounded half up. */
export const basisPointsOf = (risk: Risk): number => Math.round(exact(risk * 10_000))

/** A risk as precisely as it is sent to any service: in whole basis points. */
export const roundedRisk = (risk: Risk): Risk => riskOfBasisPoints(basisPointsOf(risk))

/** Every number that is sent to a service for one risk. */
export interface ScoreValues {
  /** Risk in whole basis points, 0 to 10000. */
  readonly deepfakeRiskBps: number
  /** Risk as a percentage with at most two decimals, 0 to 100. */
  readonly deepfakeRiskScore: number
  /** 100 less the risk as a percentage, at most two decimals. */
  readonly authenticityScore: number
}

/**
 * The one place where a calibrated risk becomes the numbers of an API: it is rounded once, half up, to whole basis
 * points, and every value is exactly those basis points in another unit, so that they never contradict each other.
 */
export function scoreValues(risk: Risk): ScoreValues {
  const deepfakeRiskBps = basisPointsOf(risk)
  return {
    deepfakeRiskBps,
    deepfakeRiskScore: deepfakeRiskBps / 100,
    authenticityScore: (10_000 - deepfakeRiskBps) / 100,
  }
}

/** A risk as people read it, 0 to 100. @param decimals that are always shown; where absent, those that are submitted, at most two */
export const riskText = (risk: Risk, decimals?: 0 | 1 | 2): string =>
  decimals === undefined ? String(percentOf(roundedRisk(risk))) : percentOf(risk).toFixed(decimals)

const isWithin = (value: unknown, most: number): boolean => typeof value === 'number' && value >= 0 && value <= most

/** Without the last bits that a change of the unit leaves behind. */
const exact = (value: number): number => Number(value.toPrecision(KEPT_DIGITS))
