import type { MediaType } from '../core/media-types.js'

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
  /** Whether the risk lies inside the package's decision band. */
  readonly unsure: boolean
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
