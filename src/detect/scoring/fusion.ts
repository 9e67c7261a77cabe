import type { Fusion } from '../package/image-views.js'

/** The logits of the views of one picture. */
export interface ViewLogits {
  /** All crops together; null in a package that takes none. */
  readonly native: number | null
  readonly whole: number
  /** The worst face; null where there is none that is looked at. */
  readonly face: number | null
}

/** One logit of the views, as the manifest weighs them. */
export function fuse({ native, whole, face }: ViewLogits, { withoutFaces, withFaces }: Fusion): number {
  if (face === null || withFaces === undefined) return weigh(withoutFaces, native, whole)
  return weigh(withFaces, native, whole) + withFaces.face * face
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
  fuse({ native: logit, whole: logit, face: hasFaces ? logit : null }, fusion)

const weigh = (weights: Fusion['withoutFaces'], native: number | null, whole: number): number =>
  weights.intercept + (weights.native ?? 0) * (native ?? 0) + weights.whole * whole
