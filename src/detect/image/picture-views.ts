import type { Picture } from '../contract/picture.js'
import type { StageWatch } from '../contract/stage-watch.js'
import type { ImageViewsPreprocessing } from '../package/image-views.js'
import type { Face } from './face-finder.js'
import { faceCut } from './image-faces.js'
import { wholeCut } from './image-tensor.js'
import type { ViewNetworks } from './view-networks.js'
import { wholeView } from './whole-view.js'

/** What the networks gave for the views of one picture. */
export interface SeenPicture {
  readonly whole: number
  /** Largest first. */
  readonly faces: readonly Face[]
  /** Of each face; none where the package has no network for faces. */
  readonly faceLogits: readonly number[]
}

/**
 * Cuts all views from the one buffer of decoded pixels and scores them, the whole first.
 * @param findFaces gives the faces to look at; it receives the logit of the whole, which may state that none is worth a look
 * @throws AttestdError detector-failed
 */
export async function seePicture(
  picture: Picture,
  findFaces: (whole: number) => Promise<readonly Face[]>,
  { whole: wholePlan, faces: facePlan }: ImageViewsPreprocessing,
  networks: ViewNetworks,
  watch: StageWatch,
): Promise<SeenPicture> {
  const { face: judgeFace } = networks
  const cut = await watch.during('crops', async () => wholeCut(await wholeView(picture, wholePlan)))
  const whole = await watch.during('network', () => networks.whole(cut))
  const faces = await watch.during('faces', () => findFaces(whole))
  const faceLogits: number[] = []
  const { margin, size } = facePlan ?? {}
  if (judgeFace === null || margin === undefined || size === undefined) return { whole, faces, faceLogits }
  for (const face of faces) {
    const head = await watch.during('crops', () => faceCut(picture, face, { margin, size }))
    faceLogits.push(await watch.during('network', () => judgeFace(head)))
  }
  return { whole, faces, faceLogits }
}
