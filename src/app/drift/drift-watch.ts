import { LRUCache } from 'lru-cache'
import type { Log } from '../../core/log.js'
import type { DriftRow } from '../../fleet/daemon-state.js'
import { type DriftReference, keepReference, type ReferencePlaces, readReference } from './drift-reference.js'
import { populationOf, type Seen, stabilityIndex } from './population.js'

const WINDOW = 500
/** Files that make a reference where the package contains none. */
const OWN_FILES = 500
/** Of fewer files an index is mostly chance. */
const MIN_FILES = 200
/** Detectors that are remembered, those not heard of for longest dropped first. */
const MAX_DETECTORS = 20

interface Tracked {
  readonly id: string
  reference: DriftReference | null
  /** Whether a reference is still looked for on disk. */
  isReading: boolean
  seen: Seen[]
}

/** Whether what the detectors of this daemon state shifts away from what they stated where they were measured. */
export class DriftWatch {
  readonly #places: ReferencePlaces
  readonly #log: Log
  readonly #tracked = new LRUCache<string, Tracked>({ max: MAX_DETECTORS })

  constructor(places: ReferencePlaces, log: Log) {
    this.#places = places
    this.#log = log
  }

  /** @param detector id and digest of one detector, or of an ensemble */
  saw(detector: { readonly id: string; readonly digest: string }, one: Seen): void {
    const tracked = this.#tracked.get(detector.digest) ?? this.#begin(detector)
    this.#tracked.set(detector.digest, tracked)
    tracked.seen.push(one)
    if (tracked.isReading) return
    if (tracked.reference === null) this.#makeReference(detector.digest, tracked)
    else if (tracked.seen.length > WINDOW) tracked.seen.shift()
  }

  rows(): DriftRow[] {
    return [...this.#tracked.rvalues()].flatMap((tracked) => (tracked ? [rowOf(tracked)] : []))
  }

  #begin({ id, digest }: { readonly id: string; readonly digest: string }): Tracked {
    const tracked: Tracked = { id, reference: null, isReading: true, seen: [] }
    void this.#findReference(digest, tracked)
    return tracked
  }

  async #findReference(digest: string, tracked: Tracked): Promise<void> {
    tracked.reference = await readReference(this.#places, { id: tracked.id, digest })
    tracked.isReading = false
  }

  #makeReference(digest: string, tracked: Tracked): void {
    if (tracked.seen.length < OWN_FILES) return
    const population = populationOf(tracked.seen)
    tracked.reference = { from: 'own', ...population }
    tracked.seen = []
    keepReference(this.#places.folder, digest, population).catch((err: unknown) =>
      this.#log.warn(
        { reason: 'data-dir-unusable', err },
        'the drift reference was not saved; it is lost at the next restart',
      ),
    )
  }
}

function rowOf({ id, reference, seen }: Tracked): DriftRow {
  const needed = reference === null ? OWN_FILES + MIN_FILES : MIN_FILES
  const facts = { detector: id, reference: reference?.from ?? null, files: seen.length, needed }
  if (reference === null || seen.length < MIN_FILES) return { ...facts, risk: null, abstention: null }
  const now = populationOf(seen)
  return {
    ...facts,
    risk: stabilityIndex(now.risks, reference.risks),
    abstention: stabilityIndex(now.abstentions, reference.abstentions),
  }
}
