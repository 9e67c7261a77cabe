import { createHash } from 'node:crypto'
import { AttestdError, isAbstention } from '../../core/errors.js'
import { MEDIA_TYPES, type MediaType } from '../../core/media-types.js'
import type { Detection, LoadedDetector } from '../detection.js'
import type { DetectorSummary } from '../package/detector-summary.js'
import { type SelectedPackage, summaryOf } from '../package/package-loader.js'
import { type Absence, combine, type EnsembleIdentity, ensembleIdentity, type Vote } from '../scoring/ensemble.js'

/** What scores one kind of media. */
export interface Lineup {
  /** In the order of their ids; at least one. */
  readonly members: readonly SelectedPackage[]
  /** Null where one package scores alone, by its own name. */
  readonly ensemble: EnsembleIdentity | null
  /** How the scores are signed. */
  readonly summary: DetectorSummary
}

/** The lineup of each kind of media that any of the packages scores; shadows and candidates are in none. */
export function lineupsOf(packages: readonly SelectedPackage[]): ReadonlyMap<MediaType, Lineup> {
  const found = new Map<MediaType, Lineup>()
  for (const type of MEDIA_TYPES) {
    const members = packages
      .filter(({ canary, manifest, shadow }) => !shadow && canary === undefined && manifest.mediaTypes.includes(type))
      .toSorted((a, b) => (a.manifest.id < b.manifest.id ? -1 : 1))
    if (members.length > 0) found.set(type, lineupOf(type, members))
  }
  return found
}

/** A package with its part in the scores, as console and logs show it. */
export function loadedDetectorOf(pack: SelectedPackage): LoadedDetector {
  const { canary, weight, shadow, unlisted } = pack
  const part = { weight, shadow, ...(canary === undefined ? {} : { canary }), ...(unlisted ? { unlisted } : {}) }
  return { ...summaryOf(pack), ...part }
}

function lineupOf(type: MediaType, members: readonly SelectedPackage[]): Lineup {
  const [only, ...others] = members as [SelectedPackage, ...SelectedPackage[]]
  if (others.length === 0) return { members, ensemble: null, summary: summaryOf(only) }
  const ensemble = ensembleIdentity(
    members.map(({ manifest, digest, weight }) => ({ id: manifest.id, digest, weight })),
  )
  const title = members.map(({ manifest }) => manifest.title).join(' + ')
  return { members, ensemble, summary: { ...ensemble, title, mediaTypes: [type] } }
}

/**
 * Measures a file by a lineup. Members of an ensemble do so one after the other, so that a file which kills its process
 * kills one, and their results are combined. A member that abstains is left out; where all do, the first one's reason
 * stands. Any other failure must not become a partial score, and is thrown.
 * @param measure one member's detection of the file
 * @throws AttestdError
 */
export async function detectBy(
  { members, ensemble }: Lineup,
  measure: (pack: SelectedPackage) => Promise<Detection>,
): Promise<Detection> {
  if (ensemble === null) return measure(members[0] as SelectedPackage)
  const votes: Vote[] = []
  const absences: Absence[] = []
  let firstReason: AttestdError | null = null
  for (const pack of members) {
    const { decisionBand: band, id } = pack.manifest
    try {
      votes.push({ weight: pack.weight, band, detection: await measure(pack) })
    } catch (error) {
      if (!isAbstention(error)) throw error
      firstReason ??= error
      absences.push({ id, reason: error.reason })
    }
  }
  if (votes.length === 0) throw firstReason ?? new AttestdError('detector-none')
  return combine(ensemble, votes, absences)
}

/** A candidate that scores a share of one kind of media, alone. */
export interface Canary extends Lineup {
  /** Of the assets, 1 to 99. */
  readonly percent: number
}

/** The candidate of each kind that has one. @throws setting-invalid for two, or for one without an active detector */
export function canariesOf(
  packages: readonly SelectedPackage[],
  inCharge: ReadonlyMap<MediaType, Lineup>,
): ReadonlyMap<MediaType, Canary> {
  const found = new Map<MediaType, Canary>()
  for (const pack of packages) {
    const { canary: percent, manifest } = pack
    if (percent === undefined) continue
    for (const type of manifest.mediaTypes) {
      if (!inCharge.has(type)) throw refusal(manifest.id, `no active detector scores ${type}`)
      if (found.has(type)) throw refusal(manifest.id, `another candidate scores ${type}`)
      const summary = { ...summaryOf(pack), canary: percent }
      found.set(type, { members: [pack], ensemble: null, summary, percent })
    }
  }
  return found
}

/** First hex digits of the hash that decide; 2^32 values are fine enough for whole percents. */
const HEX_DIGITS = 8

/** Whether an asset is in a candidate's share: the same on every machine, and small shares lie within large ones. */
export function isOfShare(contentHash: string, percent: number): boolean {
  const hash = createHash('sha256').update(`canary\n${contentHash.toLowerCase()}`).digest('hex')
  return Number.parseInt(hash.slice(0, HEX_DIGITS), 16) < (percent / 100) * 16 ** HEX_DIGITS
}

const refusal = (id: string, because: string): AttestdError =>
  new AttestdError('setting-invalid', `${id} cannot be a canary, because ${because}.`)
