import type { ChildDetector } from '../contract/child-detector.js'
import {
  describeParts,
  type HeatMap,
  highestParts,
  type Measurement,
  type ScoredPart,
} from '../contract/measurement.js'
import type { MediumReader, Parts, ReaderTools, ReadMedia } from '../contract/medium-reader.js'
import type { Model } from '../contract/model.js'
import { drawHeatMap } from '../image/heat-map.js'
import { imageParts } from '../image/image-crops.js'
import { decodeImage } from '../image/image-decode.js'
import { piece } from '../image/picture.js'
import type { ImagePreprocessing } from '../package/image-plan.js'
import type { DetectorPackage } from '../package/package-loader.js'
import { aggregateLogits, steadyLogit } from '../scoring/aggregation.js'
import { calibrate } from '../scoring/calibration.js'
import { isProbed, isVerdict, isVerdictReal } from '../scoring/probe.js'

/** A detector that scores a file part by part with one model. */
export function createPartsDetector(
  pack: DetectorPackage,
  read: MediumReader,
  model: Model,
  tools: ReaderTools,
): ChildDetector {
  const { manifest } = pack
  const { preprocessing, aggregation } = manifest
  const logitOf = steadyLogit(manifest)
  const score = async (parts: Parts): Promise<ScoredPart[]> => {
    const scored: ScoredPart[] = []
    // One by one: in a batch the sums of some kernels are ordered otherwise and the last bits change.
    for await (const { name, inputs } of parts) scored.push({ name, rawScore: logitOf(await model.run(inputs)) })
    return scored
  }
  const together = (scored: readonly ScoredPart[]) =>
    aggregateLogits(
      scored.map(({ rawScore }) => rawScore),
      aggregation,
    )

  const heatMapOf = async (file: string, out: string, plan: ImagePreprocessing): Promise<HeatMap> => {
    // For its refusals: a picture that gets no score has no map either.
    await read(file)
    const picture = await decodeImage(file, tools)
    const single = { ...plan, crops: { ...plan.crops, positions: 'center' as const }, minShortSide: 1 }
    return drawHeatMap(picture, out, async (area) => {
      const scored = await score(await imageParts(await piece(picture, area), single))
      return calibrate(together(scored), manifest.calibration)
    })
  }

  return {
    pack,
    ...(preprocessing.kind === 'image' && {
      scorePicture: async (picture) => together(await score(await imageParts(picture, preprocessing))),
      drawHeatMap: (file, out) => heatMapOf(file, out, preprocessing),
    }),
    async measure(file, probe = null): Promise<Measurement> {
      const started = tools.clock.monotonic()
      const media = await read(file)
      const decoded = tools.clock.monotonic()
      const scored = await score(media.parts())
      const rawScore = together(scored)
      const risk = calibrate(rawScore, manifest.calibration, media.length)
      const variants: ScoredPart[] = []
      const scoreAll = async (found: ReturnType<ReadMedia['variants']>) => {
        for await (const { name, parts } of found) variants.push({ name, rawScore: together(await score(parts)) })
      }
      if (media.others !== undefined && isVerdict(risk, probe, manifest)) await scoreAll(media.others())
      if (media.spotCheck !== undefined && isVerdictReal(risk, probe, manifest)) await scoreAll(media.spotCheck())
      if (isProbed(risk, probe, manifest)) await scoreAll(media.variants())
      return {
        rawScore,
        notes: `${media.summary}; ${describeParts(scored)}`,
        length: media.length,
        parts: highestParts(scored),
        variants,
        elapsedMs: { decode: decoded - started, infer: tools.clock.monotonic() - decoded },
      }
    },
  }
}
