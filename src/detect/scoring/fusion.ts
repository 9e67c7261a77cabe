import type { Fusion } from '../package/image-views.js'

/** The logits of the views of one picture. */
export interface ViewLogits {
  readonly whole: number
  /** The worst face; null where there is none that is looked at. */
  readonly face: number | null
  /** How much of the square that fits in the picture its largest face covers; 0 without one. */
  readonly faceShare: number
}

/** One logit of the views, as the manifest weighs them. */
export function fuse({ whole, face, faceShare }: ViewLogits, fusion: Fusion): number {
  const { withoutFaces, withFaces, portraits } = fusion
  if (face === null || withFaces === undefined) return withoutFaces.intercept + withoutFaces.whole * whole
  const logit = withFaces.intercept + withFaces.whole * whole + withFaces.face * face
  if (portraits === undefined || !isPortrait(faceShare, fusion) || logit <= 0) return logit
  return Math.max(0, logit - portraits.shift)
}

/** Whether the largest face covers so much that the verdict "machine-made" needs more. */
export const isPortrait = (faceShare: number, { portraits }: Fusion): boolean =>
  portraits !== undefined && faceShare >= portraits.minShare

/** Whether a face could move the verdict on a picture whose whole view gave this logit. */
export function areFacesWorthALook(
  whole: number,
  { facesBetween: [low, high] = [-Infinity, Infinity] }: Fusion,
): boolean {
  return whole >= low && whole <= high
}

/** The risk of the picture if every view scored as one part does, so that parts can be compared with the picture. */
export const asIfAll = (logit: number, fusion: Fusion, { face, faceShare }: Omit<ViewLogits, 'whole'>): number =>
  fuse({ whole: logit, face: face === null ? null : logit, faceShare }, fusion)
