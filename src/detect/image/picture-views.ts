import type { Picture } from '../contract/picture.js'
import type { StageWatch } from '../contract/stage-watch.js'
import type { ImageViewsPreprocessing, NativeView } from '../package/image-views.js'
import type { Face } from './face-finder.js'
import { faceCuts } from './image-faces.js'
import { type Area, wholeCut } from './image-tensor.js'
import type { ViewNetworks } from './view-networks.js'
import { wholeView } from './whole-view.js'

/** What the networks gave for the views of one picture. */
export interface SeenPicture {
  readonly crops: readonly { readonly area: Area; readonly logit: number }[]
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
  plan: ImageViewsPreprocessing,
  networks: ViewNetworks,
  watch: StageWatch,
): Promise<SeenPicture> {
  const cut = await watch.during('crops', async () => wholeCut(await wholeView(picture, plan.whole)))
  const [whole] = (await watch.during('network', () => networks.whole([cut]))) as [number]
  const faces = await watch.during('faces', () => findFaces(whole))
  const { areas, heads } = await watch.during('crops', async () => ({
    areas: plan.native === undefined ? [] : nativeCrops(picture, plan.native),
    heads: plan.faces === undefined ? [] : await faceCuts(picture, faces, plan.faces),
  }))
  return watch.during('network', async () => {
    const native = (await networks.native?.(areas.map((area) => ({ picture, area })))) ?? []
    const faceLogits = (await networks.face?.(heads)) ?? []
    return {
      crops: native.map((logit, index) => ({ area: areas[index] as Area, logit })),
      whole,
      faces: faceLogits.map((logit, index) => ({ face: faces[index] as Face, logit })),
    }
  })
}

/**
 * Where the crops at native resolution lie, in reading order. The side is `size`, or the short side of a smaller picture.
 * They stand evenly and away from the edges, where borders, marks and blurred backgrounds are: as many along a side as fit
 * when rounded, at most the square root of `count`; one in the middle, two at a quarter and three quarters of the room.
 */
export function nativeCrops(picture: Pick<Picture, 'width' | 'height'>, { size, count }: NativeView): Area[] {
  const side = Math.min(size, picture.width, picture.height)
  const most = Math.floor(Math.sqrt(count))
  const lefts = starts(picture.width, side, most)
  return starts(picture.height, side, most).flatMap((top) =>
    lefts.map((left) => ({ left, top, width: side, height: side })),
  )
}

/** The starts of squares along one side: as many as fit when rounded, `most` at most. */
function starts(length: number, side: number, most: number): number[] {
  const count = Math.max(1, Math.min(most, Math.round(length / side)))
  return Array.from({ length: count }, (_, index) => Math.floor(((length - side) * (index + 0.5)) / count))
}
