import type { DetectorPackage } from '../package/package-loader.js'
import type { Measurement } from './measurement.js'
import type { Model } from './model.js'
import type { Picture } from './picture.js'
import type { PictureScorer } from './picture-scorer.js'

/** What is wanted of a file beside its score. */
export interface Asked {
  /** Where to write a picture of where the risk lies, by a detector that can; absent where none is asked for. */
  readonly heatMap?: string | undefined
  /** Expected share at which a package that asks for it scores re-encodings too. @default null, none are scored */
  readonly probe?: number | null
}

/** A detector inside a child process. */
export interface ChildDetector {
  readonly pack: DetectorPackage
  /** @throws AttestdError media-*, detector-failed */
  measure(file: string, asked?: Asked): Promise<Measurement>
  /** Present where it also scores pictures that another detector decoded: frames of a video. */
  readonly scorePicture?: PictureScorer
  /** Present where its network for the whole picture also gives features, for a package that names it as its encoder. */
  readonly encoder?: Model | undefined
  /** Present with `encoder`: the features of a picture that another detector decoded. @throws as `PictureScorer` */
  readonly describePicture?: ((picture: Picture) => Promise<Float32Array>) | undefined
}
