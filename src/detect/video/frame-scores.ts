import type { PartsScorer } from '../child/parts-scorer.js'
import type { Face, FaceFinder } from '../image/face-finder.js'
import { faceParts } from '../image/image-faces.js'
import { imageParts } from '../image/image-reader.js'
import type { ImagePreprocessing } from '../package/preprocessing.js'
import type { FaceBox } from './face-tracks.js'
import type { Frame } from './frame.js'
import type { TimedScore } from './window-score.js'

/** A face in a frame with its logit. */
export interface ScoredFace extends FaceBox {
  readonly rawScore: number
}

/** One frame by the image detector: the logit of the whole picture without its faces, and each face's. */
export interface ScoredFrame extends TimedScore {
  readonly faces: readonly ScoredFace[]
}

/** Scores decoded frames as the image detector scores pictures. */
export class FrameScorer {
  constructor(
    private readonly images: PartsScorer,
    private readonly plan: ImagePreprocessing,
    /** Null where the image package has no plan for faces. */
    private readonly finder: FaceFinder | null,
  ) {}

  /** @throws AttestdError media-too-small, detector-failed */
  async score(frame: Frame): Promise<ScoredFrame> {
    const crops = await this.images.score(await imageParts(frame, this.plan))
    return { seconds: frame.seconds, rawScore: this.images.together(crops), faces: await this.faces(frame) }
  }

  private async faces(frame: Frame): Promise<ScoredFace[]> {
    const { faces: facePlan } = this.plan
    if (this.finder === null || facePlan === undefined) return []
    const found: readonly Face[] = await this.finder.find(frame, facePlan)
    const scored = await this.images.score(await faceParts(frame, found, this.plan, facePlan))
    return found.map(({ left, top, width, height }, index) => {
      return { left, top, width, height, rawScore: scored[index]?.rawScore as number }
    })
  }
}
