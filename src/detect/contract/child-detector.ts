import type { DetectorPackage } from '../package/package-loader.js'
import type { HeatMap, Measurement } from './measurement.js'
import type { Model } from './model.js'
import type { Picture } from './picture.js'

export interface ChildDetector {
  readonly pack: DetectorPackage
  /** @param probe expected share at which re-encodings are scored too, or none @throws media-*, detector-failed */
  measure(file: string, probe?: number | null): Promise<Measurement>
  /** Present where it draws heat maps: writes a PNG of where the risk of a picture lies to `out`, an absolute path. @throws as `measure` */
  readonly drawHeatMap?: (file: string, out: string) => Promise<HeatMap>
  /**
   * Present where it also scores pictures that another detector decoded, frames of a video: gives the logit.
   * @throws AttestdError media-too-small, media-featureless, detector-failed
   */
  readonly scorePicture?: (picture: Picture) => Promise<number>
  /** Present where its network for the whole picture also gives features, for a package that names it as its encoder. */
  readonly encoder?: Model | undefined
  /** Present with `encoder`: the features of a picture that another detector decoded. @throws as `scorePicture` */
  readonly describePicture?: ((picture: Picture) => Promise<Float32Array>) | undefined
}
