import { AttestdError } from '../../core/errors.js'
import type { ChildDetector } from '../contract/child-detector.js'
import {
  describeParts,
  type HeatMap,
  highestParts,
  type Measurement,
  type ScoredPart,
} from '../contract/measurement.js'
import type { ReaderTools } from '../contract/medium-reader.js'
import type { Picture } from '../contract/picture.js'
import { StageWatch } from '../contract/stage-watch.js'
import type { Fusion } from '../package/image-views.js'
import type { DetectorPackage } from '../package/package-loader.js'
import type { OnnxViewsRuntime } from '../package/runtime.js'
import { calibrate } from '../scoring/calibration.js'
import { areFacesWorthALook, asIfAll, fuse, isPortrait, type ViewLogits } from '../scoring/fusion.js'
import { isProbed, isVerdict } from '../scoring/probe.js'
import { type Face, loadFaceFinder } from './face-finder.js'
import { refuseFeatureless } from './featureless.js'
import { drawHeatMap } from './heat-map.js'
import { refuseSmall } from './image-crops.js'
import { type DecodedImage, decodeImage, otherPictures } from './image-decode.js'
import { faceName, faceShare, facesIn } from './image-faces.js'
import { describeImage } from './image-reader.js'
import { imageTensor, wholeCut } from './image-tensor.js'
import { imageVariants } from './image-variants.js'
import { piece } from './picture.js'
import { type SeenPicture, seePicture } from './picture-views.js'
import { loadViewNetworks } from './view-networks.js'
import { wholeView } from './whole-view.js'

/** In the notes of a picture whose whole view decided alone (`facesBetween` of the manifest). */
export const NO_LOOK_AT_FACES = 'clear, face check skipped'

/** Sees a picture as the whole and its faces, each by a network. @throws as `loadViewNetworks` */
export async function loadViewsDetector(
  pack: DetectorPackage,
  runtime: OnnxViewsRuntime,
  tools: ReaderTools,
): Promise<ChildDetector> {
  const { preprocessing: plan, fusion, calibration, id } = pack.manifest
  if (plan.kind !== 'image-views' || fusion === undefined)
    throw new AttestdError('internal-error', `${id} does not see pictures in several ways.`)
  const networks = await loadViewNetworks(pack, runtime, plan.normalize)
  const finder = plan.faces === undefined ? null : await loadFaceFinder(pack, plan.faces.finder)

  const refuse = async (picture: Picture) => {
    refuseSmall(picture, plan.minShortSide)
    await refuseFeatureless(picture)
  }
  const find = async (picture: Picture): Promise<readonly Face[]> =>
    finder === null || plan.faces === undefined ? [] : finder.find(picture, plan.faces)
  const see = (picture: Picture, findFaces: (whole: number) => Promise<readonly Face[]>, watch = new StageWatch()) =>
    seePicture(picture, findFaces, plan, networks, watch)
  const together = (seen: SeenPicture, picture: Picture) =>
    fuse({ whole: seen.whole, ...facesOf(seen, picture) }, fusion)

  const probe = async (image: Picture, { faces }: SeenPicture): Promise<ScoredPart[]> => {
    const found = faces.map(({ face }) => face)
    const variants: ScoredPart[] = []
    for await (const variant of imageVariants(image)) {
      const { name, picture } = variant
      if (Math.min(picture.width, picture.height) < plan.minShortSide) continue
      const seen = await see(picture, async () => facesIn(variant, found))
      variants.push({ name, rawScore: together(seen, picture) })
    }
    return variants
  }
  const lookAtFaces = (picture: Picture) => async (whole: number) =>
    areFacesWorthALook(whole, fusion) ? find(picture) : []
  const scoreOthers = async (image: DecodedImage): Promise<ScoredPart[]> => {
    const others: ScoredPart[] = []
    for await (const { name, picture } of otherPictures(image, refuse))
      others.push({ name, rawScore: together(await see(picture, lookAtFaces(picture)), picture) })
    return others
  }
  const heatMapOf = async (file: string, out: string): Promise<HeatMap> => {
    const picture = await decodeImage(file, tools)
    await refuse(picture)
    return drawHeatMap(picture, out, async (area) => {
      const logit = await networks.whole(wholeCut(await wholeView(await piece(picture, area), plan.whole)))
      return calibrate(asIfAll(logit, fusion, NO_FACES), calibration)
    })
  }
  const scorePicture = async (picture: Picture) => {
    await refuse(picture)
    return together(await see(picture, () => find(picture)), picture)
  }

  const { encoder } = networks
  const describePicture =
    encoder &&
    (async (picture: Picture) => {
      await refuse(picture)
      return encoder.run([imageTensor(wholeCut(await wholeView(picture, plan.whole)), plan.normalize)])
    })

  return {
    pack,
    scorePicture,
    encoder,
    describePicture,
    drawHeatMap: heatMapOf,
    async measure(file, share = null): Promise<Measurement> {
      const watch = new StageWatch()
      const started = tools.clock.monotonic()
      const image = await watch.during('decode', () => decodeImage(file, tools))
      const decoded = tools.clock.monotonic()
      await watch.during('crops', () => refuse(image))
      const seen = await see(image, lookAtFaces(image), watch)
      const rawScore = together(seen, image)
      const risk = calibrate(rawScore, calibration)
      const others =
        image.others.length > 0 && isVerdict(risk, share, pack.manifest)
          ? await watch.during('probe', () => scoreOthers(image))
          : []
      const probed = isProbed(risk, share, pack.manifest) ? await watch.during('probe', () => probe(image, seen)) : []
      const parts = partsOf(seen).map(({ name, rawScore: logit }) => {
        return { name, rawScore: asIfAll(logit, fusion, facesOf(seen, image)) }
      })
      return {
        rawScore,
        notes: `${describeViews(image, seen, fusion)}; ${describeParts(parts)}`,
        parts: highestParts(parts),
        variants: [...others, ...probed],
        elapsedMs: { decode: decoded - started, infer: tools.clock.monotonic() - decoded, stages: watch.ms },
      }
    },
  }
}

const NO_FACES = { face: null, faceShare: 0 }

/** The logit of the worst face, and the share of the largest one. */
function facesOf({ faces }: SeenPicture, picture: Picture): Omit<ViewLogits, 'whole'> {
  const largest = faces[0]?.face
  if (largest === undefined) return NO_FACES
  return {
    face: Math.max(...faces.map(({ logit }) => logit)),
    faceShare: faceShare(largest, picture),
  }
}

/** The whole and each face by its place, with their own logits. */
function partsOf({ whole, faces }: SeenPicture): ScoredPart[] {
  return [
    { name: 'whole picture', rawScore: whole },
    ...faces.map(({ face, logit }, index) => ({ name: faceName(face, index), rawScore: logit })),
  ]
}

function describeViews(image: DecodedImage, seen: SeenPicture, fusion: Fusion): string {
  const picture = describeImage(image)
  if (!areFacesWorthALook(seen.whole, fusion)) return `${picture}, ${NO_LOOK_AT_FACES}`
  const { length } = seen.faces
  if (length === 0) return picture
  const portrait = isPortrait(facesOf(seen, image).faceShare, fusion) ? ', portrait' : ''
  return `${picture}, ${length} face${length > 1 ? 's' : ''}${portrait}`
}
