import type { Fusion } from '../package/image-views.js'

/** The logits of the views of one picture. */
export interface ViewLogits {
  readonly whole: number
  /** The worst face; null where there is none that is looked at. */
  readonly face: number | null
}

/** One logit of the views, as the manifest weighs them. */
export function fuse({ whole, face }: ViewLogits, { withoutFaces, withFaces }: Fusion): number {
  if (face === null || withFaces === undefined) return withoutFaces.intercept + withoutFaces.whole * whole
  return withFaces.intercept + withFaces.whole * whole + withFaces.face * face
}

/** Whether a face could move the verdict on a picture whose whole view gave this logit. */
export function areFacesWorthALook(
  whole: number,
  { facesBetween: [low, high] = [-Infinity, Infinity] }: Fusion,
): boolean {
  return whole >= low && whole <= high
}

/** The risk of the picture if every view scored as one part does, so that parts can be compared with the picture. */
export const asIfAll = (logit: number, fusion: Fusion, hasFaces: boolean): number =>
  fuse({ whole: logit, face: hasFaces ? logit : null }, fusion)
