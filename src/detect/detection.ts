import type { MediaType } from '../core/media-types.js'
import type { Evidence } from './child/measurement.js'

/** A part of a file, or a variant of it, with its calibrated risk. */
export interface RiskyPart {
  readonly name: string
  /** Calibrated as the whole is, [0, 1]. */
  readonly risk: number
}

/** What a detector says of one file. */
export interface Detection {
  readonly detectorId: string
  readonly detectorVersion: string
  /** sha256 (64 hex) over the manifest text: it names every weight file by digest, so it stands for the whole package. */
  readonly detectorDigest: string
  /** Calibrated probability of being fake, [0, 1]. */
  readonly risk: number
  /** Aggregated raw output before calibration (a logit). */
  readonly rawScore: number
  readonly unsure: boolean
  /** Why it is unsure: the risk lies inside the decision band, or a re-encoding flips the verdict. Null where it is sure. */
  readonly unsureBecause: 'band' | 'flip' | null
  /** What drove the score: the parts (crops, faces, windows, frames, passages) with the highest risks, highest first. */
  readonly parts: readonly RiskyPart[]
  /** The same file encoded anew; empty where the package has no stability probe. */
  readonly variants: readonly RiskyPart[]
  /** What the file states about its own origin; never proof of being real. */
  readonly evidence: readonly Evidence[]
  /** One line: what was seen. */
  readonly notes: string
  readonly elapsedMs: { readonly decode: number; readonly infer: number }
}

export interface DetectRequest {
  readonly file: string
  readonly mediaType: MediaType
  /** For log lines only. */
  readonly label?: string
}

export interface DetectorSummary {
  readonly id: string
  readonly version: string
  readonly title: string
  readonly mediaTypes: readonly MediaType[]
  readonly digest: string
}

/** State of the detector processes for readiness and metrics. */
export interface DetectorHostState {
  /** Warmed and free. */
  readonly ready: number
  /** At work. */
  readonly busy: number
  /** How many there should be; those missing are starting. */
  readonly size: number
  /** How long ago the last inference succeeded, milliseconds of the monotonic clock; the self-test at start is the first. */
  readonly lastInferenceAgoMs: number
}

/** Runs detectors in child processes. Errors are `AttestdError`s: detector-*, media-corrupt, media-unsupported, media-type-mismatch, media-too-complex. */
export interface DetectorHost {
  /** Detectors that are loaded, verified and warmed. */
  readonly detectors: readonly DetectorSummary[]
  /** The detector that would score this kind of media, or null. */
  detectorFor(mediaType: MediaType): DetectorSummary | null
  detect(request: DetectRequest, signal?: AbortSignal): Promise<Detection>
  /** Runs the package's own sample through a child; keeps the last inference fresh when there is no live work. */
  probe(signal?: AbortSignal): Promise<void>
  state(): DetectorHostState
  close(): Promise<void>
}
