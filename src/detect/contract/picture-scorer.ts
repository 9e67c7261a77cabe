import type { Picture } from './picture.js'

/** A face in a picture, px, with the logit of the picture as it stands with this face as its worst. */
export interface ScoredFace {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
  readonly rawScore: number
}

/** What a detector of pictures gives for one that another detector decoded. */
export interface PictureScores {
  /** Logit of the picture as if it had no faces. */
  readonly rawScore: number
  readonly faces: readonly ScoredFace[]
}

/** Scores a decoded frame. @throws AttestdError media-too-small, media-featureless, detector-failed */
export type PictureScorer = (picture: Picture) => Promise<PictureScores>
