import type { Clock } from '../core/clock.js'
import { AttestdError, toAttestdError } from '../core/errors.js'
import type { Log } from '../core/log.js'
import type { Detection, DetectorHost, ShadowMeasurement } from '../detect/detection.js'
import type { FetchedMedia } from '../media/media-source.js'
import type { TypedAsset } from './jobs.js'
import type { Comparison, PipelineEvents } from './pipeline-events.js'

/** What becomes of an unsure detection: no score, its risk as it is, or what a person decides. */
export type UnsurePolicy = 'abstain' | 'submit' | 'review'

/** The ports of the shadow line; `unsurePolicy` decides whether a shadow's result would have changed what was done. */
export interface ShadowLineOptions {
  readonly detectors: Pick<DetectorHost, 'shadow' | 'detectors' | 'state'>
  readonly unsurePolicy: UnsurePolicy
  readonly clock: Pick<Clock, 'sleep'>
  readonly log: Log
  readonly events: PipelineEvents
}

interface Offer {
  readonly asset: TypedAsset
  readonly submitted: Detection
  readonly media: FetchedMedia
}

/** Most files that wait to be measured by shadows; each keeps its place in the media cache. */
const MAX_WAITING = 8
/** While live files wait for a process, it is looked again after this long, ms. */
const QUIET_LOOK_MS = 250

/**
 * Measures what was scored once more by the shadow detectors, after the job's verdict was handed on. It takes the
 * bytes over from the job, costs it nothing and can never fail it: while live files wait it rests, and what does not
 * find a place in the line meanwhile is dropped.
 */
export class ShadowLine {
  readonly #options: ShadowLineOptions
  readonly #stopping = new AbortController()
  readonly #waiting: Offer[] = []
  #working: Promise<void> = Promise.resolve()
  #atWork = false

  constructor(options: ShadowLineOptions) {
    this.#options = options
  }

  /** Takes the media over, and releases it when it is done with. */
  offer(offer: Offer): void {
    if (this.#stopping.signal.aborted || !this.#hasWork(offer)) {
      offer.media.release()
    } else if (this.#waiting.length >= MAX_WAITING) {
      this.#drop(offer)
    } else {
      this.#waiting.push(offer)
      if (!this.#atWork) this.#working = this.#work()
    }
  }

  /** Resolves when nothing is measured any more and all media is released. */
  async stop(): Promise<void> {
    this.#stopping.abort(new AttestdError('draining'))
    for (const { media } of this.#waiting.splice(0)) media.release()
    await this.#working
  }

  #hasWork({ asset, submitted }: Offer): boolean {
    return this.#options.detectors.detectors.some(
      ({ canary, digest, mediaTypes, shadow }) =>
        (shadow && mediaTypes.includes(asset.mediaType)) ||
        (canary !== undefined && digest === submitted.detectorDigest),
    )
  }

  async #work(): Promise<void> {
    this.#atWork = true
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      await this.#quiet()
      await this.#measure(next)
    }
    this.#atWork = false
  }

  /** Resolves when no live file waits for a process, or at the stop. */
  async #quiet(): Promise<void> {
    const { clock, detectors } = this.#options
    const { signal } = this.#stopping
    while (!signal.aborted && detectors.state().waiting > 0) await clock.sleep(QUIET_LOOK_MS, signal).catch(() => {})
  }

  async #measure({ asset, submitted, media }: Offer): Promise<void> {
    const { detectors, events, log } = this.#options
    try {
      const request = { file: media.file, mediaType: asset.mediaType, contentHash: asset.contentHash, label: asset.id }
      for (const measurement of await detectors.shadow(request, this.#stopping.signal)) {
        const { besideCandidate = submitted.detectorDigest } = measurement
        // The detectors may have been replaced since it was scored.
        if (besideCandidate === submitted.detectorDigest)
          events.compared?.(this.#compare(asset, submitted, measurement))
      }
    } catch (error) {
      const { reason } = toAttestdError(error)
      if (!this.#stopping.signal.aborted) log.warn({ asset: asset.id, reason, err: error }, 'shadows were not measured')
    } finally {
      media.release()
    }
  }

  #compare(asset: TypedAsset, submitted: Detection, measurement: ShadowMeasurement): Comparison {
    if (!('detection' in measurement)) return { asset, submitted, measurement, agrees: null, wouldChange: null }
    const { detection } = measurement
    return {
      asset,
      submitted,
      measurement,
      agrees: sideOf(detection) === sideOf(submitted),
      wouldChange: this.#actionOn(detection) !== this.#actionOn(submitted),
    }
  }

  #actionOn(detection: Detection): 'abstain' | 'real' | 'fake' {
    return detection.unsure && this.#options.unsurePolicy !== 'submit' ? 'abstain' : sideOf(detection)
  }

  #drop({ asset, media }: Offer): void {
    media.release()
    this.#options.events.shadowDropped?.(asset)
  }
}

function sideOf({ risk }: Detection): 'real' | 'fake' {
  return risk > 0.5 ? 'fake' : 'real'
}
