import type { MediaType } from '../core/media-types.js'
import type { Reason } from '../core/reasons.js'
import type { Risk } from '../core/risk.js'
import type { Evidence, HeatMap, Stage } from './contract/measurement.js'
import type { DetectorSummary } from './package/detector-summary.js'
import type { DetectorChoice } from './package/selection.js'

/** A part of a file, or a variant of it, with its calibrated risk. */
export interface RiskyPart {
  readonly name: string
  /** Calibrated as the whole is. */
  readonly risk: Risk
}

export interface Detection {
  readonly detectorId: string
  readonly detectorVersion: string
  /** sha256 (64 hex) over the manifest text: it names every weight file by digest, so it stands for the whole package. */
  readonly detectorDigest: string
  /** Calibrated probability of being fake. */
  readonly risk: Risk
  /** Aggregated raw output before calibration (a logit). */
  readonly rawScore: number
  /** In the unit of a `by-length` calibration: characters of a text, seconds of a recording. */
  readonly length?: number | undefined
  readonly unsure: boolean
  /** Why it is unsure: the risk lies inside the decision band, or another reading of the file flips the verdict. Null where it is sure. */
  readonly unsureBecause: 'band' | 'flip' | null
  /** What drove the score: the parts (crops, faces, windows, frames, passages) with the highest risks, highest first. */
  readonly parts: readonly RiskyPart[]
  /** The same file re-encoded; empty where the package has no stability probe. */
  readonly variants: readonly RiskyPart[]
  /** What the file states about its own origin; never proof of being real. */
  readonly evidence: readonly Evidence[]
  /** Figures of the heat map, where `attestd score` drew one. */
  readonly heatMap?: HeatMap | null
  /** One line: what was seen. */
  readonly notes: string
  readonly elapsedMs: {
    readonly decode: number
    readonly infer: number
    /** Processor time of the detector process by stage, ms; absent where the detector does not report it. */
    readonly stages?: Readonly<Partial<Record<Stage, number>>> | undefined
  }
  /** What computed it (processor, node, libraries): on the same one the same bytes give the same score, bit for bit. */
  readonly platform: string
  /** Share of machine-made media for which its risks are stated; packages state theirs at even odds. */
  readonly expectedShare: number
}

/** One file to be scored by the detectors of its media type. Paths are absolute. */
export interface DetectRequest {
  readonly file: string
  readonly mediaType: MediaType
  /** Of the asset; decides whether a candidate scores it. Without it the active detectors do. */
  readonly contentHash?: string
  /** For log lines only. */
  readonly label?: string
  /**
   * Called where a costly file must wait for a process; what it returns is called once the wait ends. With it, a costly file
   * is refused with `detector-busy` while many others wait.
   */
  readonly stepAside?: () => () => void
}

/** One file to be shown to a person who waits for it. Paths are absolute. */
export interface ShowRequest {
  readonly file: string
  readonly mediaType: MediaType
  /**
   * `map`: a PNG with a picture and where its risk lies. `view`: what was decoded, encoded again: a JPEG of a picture or of frames of
   * a video, a WAV of sound, UTF-8 of text.
   */
  readonly what: 'map' | 'view'
  /** Path at which it is written. */
  readonly out: string
}

/** A detector that is loaded, with its part in the scores. */
export interface LoadedDetector extends DetectorSummary {
  /** Share in an ensemble with others of its media type. */
  readonly weight: number
  /** Measured on live work, never submitted. */
  readonly shadow: boolean
  /** A shadow because no list names it. */
  readonly unlisted?: boolean
}

export type ShadowMeasurement = {
  readonly detector: DetectorSummary
  /** Set where the active detectors were measured on a file of this candidate, by its digest. */
  readonly besideCandidate?: string
  /** From its turn to its answer, ms. */
  readonly totalMs: number
} & ({ readonly detection: Detection } | { readonly reason: Reason })

/** State of the detector processes for readiness and metrics. */
export interface DetectorHostState {
  /** Warmed and free. */
  readonly ready: number
  readonly busy: number
  /** How many there should be; those missing are starting. */
  readonly size: number
  /** Files that wait for a process. */
  readonly waiting: number
  /** Whether the processes run in a cage of bubblewrap. */
  readonly caged: boolean
  /** How long ago the last inference succeeded, milliseconds of the monotonic clock; the self-test at start is the first. */
  readonly lastInferenceAgoMs: number
  /** Longest time for one file, milliseconds. */
  readonly timeoutMs: number
  /** Ids of the remote detectors whose server did not answer when it was last asked. */
  readonly unreachable: readonly string[]
}

/** Runs detectors in child processes. Errors are `AttestdError`s: detector-*, media-*, language-unsupported. */
export interface DetectorHost {
  /** Detectors that are loaded, verified and warmed; others after a `reload`. */
  readonly detectors: readonly LoadedDetector[]
  readonly platform: string
  readonly expectedShare: number
  /**
   * What would score this kind of media, one detector or an ensemble; null where nothing would.
   * @param contentHash of the asset, by which a candidate has its share; without it, the active detectors
   */
  detectorFor(mediaType: MediaType, contentHash?: string): DetectorSummary | null
  detect(request: DetectRequest, signal?: AbortSignal): Promise<Detection>
  /**
   * Measures a file by each shadow detector of its kind, and a file of a candidate by the active detectors, one after the
   * other, in a process of low priority that live work never waits for. Rejects only with `draining` or the signal's reason.
   */
  shadow(request: DetectRequest, signal?: AbortSignal): Promise<readonly ShadowMeasurement[]>
  /**
   * Writes what a person asks to see of a file, in a process that ends with it: one after the other, and live work never waits.
   * @returns of a map, by the first active detector that does not abstain; null of a view
   */
  show(request: ShowRequest): Promise<HeatMap | null>
  /** Runs the packages' own samples through a child; keeps the last inference fresh when there is no live work. */
  probe(signal?: AbortSignal): Promise<void>
  /**
   * Reads and verifies the packages again, starts and warms processes for them, and hands all further files to those;
   * files under way end on the old ones, which stop then. On failure everything stays as it was.
   * @param detectors another selection than at the start; it holds for later reloads too
   * @throws AttestdError as at the start
   */
  reload(detectors?: readonly DetectorChoice[]): Promise<void>
  state(): DetectorHostState
  close(): Promise<void>
}
