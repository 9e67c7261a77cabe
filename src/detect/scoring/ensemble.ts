import { createHash } from 'node:crypto'
import type { Reason } from '../../core/reasons.js'
import { asRisk, type Risk, riskText } from '../../core/risk.js'
import { cleanText } from '../../core/text.js'
import { MAX_REPORTED_PARTS, MAX_TEXT } from '../contract/measurement.js'
import type { Detection, RiskyPart } from '../detection.js'
import { EVEN_ODDS } from '../package/calibration-schema.js'
import type { DetectorSummary } from '../package/detector-summary.js'
import { type Band, isUnsure, logitOf, sigmoid } from './calibration.js'

/** Changes when the same members and weights would give another risk than before: part of every ensemble's digest. */
const FORMULA = 'mean of logits 1'
/** Longest list of member ids in the ensemble's own id, characters: it is submitted as the algorithm, which is short. */
const MAX_ID_LIST = 120
/** First hex characters of the digest that stand for the version. */
const VERSION_LENGTH = 12
/** Longest share of a member in the notes, characters, where there are few. */
const MAX_MEMBER_NOTES = 240

export interface EnsembleMember {
  readonly id: string
  readonly digest: string
  /** Positive; only the ratio to the others matters. */
  readonly weight: number
}

/** What names an ensemble: it changes with its members, their packages and their weights. */
export type EnsembleIdentity = Pick<DetectorSummary, 'id' | 'version' | 'digest'>

/** A member that measured the file. */
export interface Vote {
  readonly weight: number
  readonly band: Band
  readonly detection: Detection
}

/** A member that abstained from the file. */
export interface Absence {
  readonly id: string
  readonly reason: Reason
}

/** @param members in the order of their ids, so that the order of a setting changes nothing */
export function ensembleIdentity(members: readonly EnsembleMember[]): EnsembleIdentity {
  const stated = members.map(({ id, digest, weight }) => [id, digest, weight])
  const digest = createHash('sha256')
    .update(JSON.stringify([FORMULA, ...stated]))
    .digest('hex')
  return { id: `ensemble(${idList(members)})`, version: digest.slice(0, VERSION_LENGTH), digest }
}

/**
 * One detection of several: logit = sum(w * logit(risk)) / sum(w) over the calibrated risks of the members that
 * measured the file, so one that abstained shifts nothing.
 *
 * Unsure where the risk lies inside the band whose ends are the members' ends, combined in the same way; or where the
 * verdict depends on how the file is read: put in place of every member's risk the one of its variants that speaks most against
 * the combined verdict, and the verdict changes sides. A flip of one member counts by what it can move, no more.
 * @param votes at least one, in the order of the members
 */
export function combine(identity: EnsembleIdentity, votes: readonly Vote[], absences: readonly Absence[]): Detection {
  const rawScore = meanLogit(votes, ({ detection }) => detection.risk)
  const risk = asRisk(sigmoid(rawScore))
  const unsureBecause = reasonForDoubt(risk, votes)
  const every = votes.map(({ detection }) => detection)
  return {
    detectorId: identity.id,
    detectorVersion: identity.version,
    detectorDigest: identity.digest,
    risk,
    rawScore,
    unsure: unsureBecause !== null,
    unsureBecause,
    parts: named(every, ({ parts }) => parts)
      .toSorted((a, b) => b.risk - a.risk)
      .slice(0, MAX_REPORTED_PARTS),
    variants: named(every, ({ variants }) => variants),
    evidence: evidenceOf(every),
    notes: notesOf(votes, absences),
    elapsedMs: {
      decode: sum(every.map(({ elapsedMs }) => elapsedMs.decode)),
      infer: sum(every.map(({ elapsedMs }) => elapsedMs.infer)),
    },
    platform: every[0]?.platform ?? '',
    expectedShare: every[0]?.expectedShare ?? EVEN_ODDS,
  }
}

const meanLogit = (votes: readonly Vote[], riskOf: (vote: Vote) => number): number =>
  sum(votes.map((vote) => vote.weight * logitOf(riskOf(vote)))) / sum(votes.map(({ weight }) => weight))

function reasonForDoubt(risk: Risk, votes: readonly Vote[]): Detection['unsureBecause'] {
  // Ends at 0 or 1, which no logit reaches, stay where every member has them.
  const end = (of: (vote: Vote) => number) => {
    const first = of(votes[0] as Vote)
    return votes.every((vote) => of(vote) === first) ? first : sigmoid(meanLogit(votes, of))
  }
  const [low, high] = [end(({ band }) => band.low), end(({ band }) => band.high)]
  if (isUnsure(risk, { low, high })) return 'band'
  const fake = risk > 0.5
  const contrary = meanLogit(votes, ({ detection }) => {
    const risks = [detection.risk, ...detection.variants.map((variant) => variant.risk)]
    return fake ? Math.min(...risks) : Math.max(...risks)
  })
  return sigmoid(contrary) > 0.5 !== fake ? 'flip' : null
}

function named(detections: readonly Detection[], of: (detection: Detection) => readonly RiskyPart[]): RiskyPart[] {
  return detections.flatMap((detection) =>
    of(detection).map(({ name, risk }) => ({ name: `${detection.detectorId}: ${name}`, risk })),
  )
}

/** Members that read the same file find the same evidence: each fact once. */
function evidenceOf(detections: readonly Detection[]): Detection['evidence'] {
  const all = detections.flatMap(({ evidence }) => evidence)
  return [...new Map(all.map((fact) => [`${fact.kind} ${fact.text}`, fact])).values()]
}

function notesOf(votes: readonly Vote[], absences: readonly Absence[]): string {
  const room = Math.min(MAX_MEMBER_NOTES, Math.floor(MAX_TEXT / (votes.length + absences.length)) - 2)
  const stated = votes.map(
    ({ detection, weight }) =>
      `${detection.detectorId} ${riskText(detection.risk, 1)} (weight ${weight}): ${detection.notes}`,
  )
  const left = absences.map(({ id, reason }) => `${id} left out: ${reason}`)
  return [...stated, ...left].map((text) => cleanText(text, room)).join('; ')
}

function idList(members: readonly EnsembleMember[]): string {
  const ids = members.map(({ id }) => id)
  const all = ids.join('+')
  if (all.length <= MAX_ID_LIST) return all
  const shown = ids.filter((_, index) => ids.slice(0, index + 1).join('+').length <= MAX_ID_LIST)
  return `${shown.join('+')}+${ids.length - shown.length} more`
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
