import { createHash } from 'node:crypto'
import { AttestdError } from '../../core/errors.js'
import type { MediaType } from '../../core/media-types.js'
import { type SelectedPackage, summaryOf } from '../package/package-loader.js'
import type { Lineup } from './lineup.js'

/** A candidate that scores a share of one kind of media, alone. */
export interface Canary extends Lineup {
  /** Of the assets, 1 to 99. */
  readonly percent: number
}

/**
 * The candidate of each kind of media that has one.
 * @throws AttestdError setting-invalid where a kind has two, or nothing active that one is set against
 */
export function canariesOf(
  packages: readonly SelectedPackage[],
  inCharge: ReadonlyMap<MediaType, Lineup>,
): ReadonlyMap<MediaType, Canary> {
  const found = new Map<MediaType, Canary>()
  for (const pack of packages) {
    const { canary: percent, manifest } = pack
    if (percent === undefined) continue
    for (const type of manifest.mediaTypes) {
      if (!inCharge.has(type)) throw refusal(manifest.id, `nothing else is in charge of ${type}`)
      if (found.has(type)) throw refusal(manifest.id, `another candidate scores ${type}`)
      const summary = { ...summaryOf(pack), canary: percent }
      found.set(type, { members: [pack], ensemble: null, summary, percent })
    }
  }
  return found
}

/** First hex digits of the hash that decide; 2^32 values are fine enough for whole percents. */
const HEX_DIGITS = 8

/**
 * Whether an asset is among the share of a candidate: the same on every machine, and those of a small share are among
 * those of a larger one.
 */
export function isOfShare(contentHash: string, percent: number): boolean {
  const hash = createHash('sha256').update(`canary\n${contentHash.toLowerCase()}`).digest('hex')
  return Number.parseInt(hash.slice(0, HEX_DIGITS), 16) < (percent / 100) * 16 ** HEX_DIGITS
}

function refusal(id: string, because: string): AttestdError {
  return new AttestdError('setting-invalid', `${id} cannot be a canary, because ${because}.`)
}
