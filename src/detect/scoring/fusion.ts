import type { Fusion } from '../package/image-views.js'

/** The logits of the views of one picture. */
export interface ViewLogits {
  readonly whole: number
  /** The worst face; null where no network looked at one. */
  readonly face: number | null
  /** How much of the square that fits in the picture its largest face covers; 0 without one. */
  readonly faceShare: number
}

/** One logit of the views, as the manifest weighs them. */
export function fuse({ whole, face, faceShare }: ViewLogits, fusion: Fusion): number {
  const { withoutFaces, withFaces, portraits } = fusion
  const logit =
    face === null || withFaces === undefined
      ? withoutFaces.intercept + withoutFaces.whole * whole
      : withFaces.intercept + withFaces.whole * whole + withFaces.face * face
  if (portraits === undefined || !isPortrait(faceShare, fusion)) return logit
  return Math.max(Math.min(logit, portraits.downTo), logit - portraits.shift)
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
