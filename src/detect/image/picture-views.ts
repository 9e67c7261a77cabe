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
  readonly faces: readonly { readonly face: Face; readonly logit: number }[]
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
  const found = await watch.during('faces', () => findFaces(whole))
  const faces: SeenPicture['faces'][number][] = []
  if (facePlan === undefined || judgeFace === null) return { whole, faces }
  for (const face of found) {
    const head = await watch.during('crops', () => faceCut(picture, face, facePlan))
    faces.push({ face, logit: await watch.during('network', () => judgeFace(head)) })
  }
  return { whole, faces }
}
