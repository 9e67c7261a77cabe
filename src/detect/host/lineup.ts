import { MEDIA_TYPES, type MediaType } from '../../core/media-types.js'
import type { DetectorSummary, LoadedDetector } from '../detection.js'
import { type SelectedPackage, summaryOf } from '../package/package-loader.js'
import { type EnsembleIdentity, ensembleIdentity } from '../scoring/ensemble.js'

/** What scores one kind of media. */
export interface Lineup {
  /** In the order of their ids; at least one. */
  readonly members: readonly SelectedPackage[]
  /** Null where one package scores alone, by its own name. */
  readonly ensemble: EnsembleIdentity | null
  /** How the scores are signed. */
  readonly summary: DetectorSummary
}

/** The lineup of each kind of media that any of the packages scores; shadows are in none. */
export function lineupsOf(packages: readonly SelectedPackage[]): ReadonlyMap<MediaType, Lineup> {
  const found = new Map<MediaType, Lineup>()
  for (const type of MEDIA_TYPES) {
    const members = packages
      .filter(({ manifest, shadow }) => !shadow && manifest.mediaTypes.includes(type))
      .toSorted((a, b) => (a.manifest.id < b.manifest.id ? -1 : 1))
    if (members.length > 0) found.set(type, lineupOf(type, members))
  }
  return found
}

/** A package with its part in the scores, as console and logs show it. */
export function loadedDetectorOf(pack: SelectedPackage): LoadedDetector {
  const { weight, shadow } = pack
  return { ...summaryOf(pack), weight, shadow }
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
