import { drawHeatMap } from '../image/heat-map.js'
import type { DetectorPackage } from '../package/package-loader.js'
import type { Model } from '../runtimes/model.js'
import { outputAsLogit } from '../scoring/aggregation.js'
import { type BranchPart, combineBranches } from '../scoring/branches.js'
import { calibrate, isUnsure } from '../scoring/calibration.js'
import type { ChildDetector } from './child-detector.js'
import { highestParts, type Measurement, type ScoredPart } from './measurement.js'
import type { MediumReader, Part, Parts, ReaderTools } from './medium-reader.js'

/** A detector that scores a file part by part with one model. */
export function createPartsDetector(
  pack: DetectorPackage,
  read: MediumReader,
  model: Model,
  tools: ReaderTools,
): ChildDetector {
  const { manifest } = pack
  const score = async (parts: Parts): Promise<BranchPart[]> => {
    const scored: BranchPart[] = []
    // One by one: in a batch the sums of some kernels are ordered otherwise and the last bits change.
    for await (const { name, branch, inputs } of parts)
      scored.push({ name, branch, rawScore: outputAsLogit(await model.run(inputs), manifest) })
    return scored
  }
  const { preprocessing, aggregation } = manifest
  const combine = preprocessing.kind === 'image' ? preprocessing.faces?.combine : undefined
  const together = (scored: readonly BranchPart[]) => combineBranches(scored, aggregation, combine)

  const riskOf = async ({ inputs }: Part) =>
    calibrate(outputAsLogit(await model.run(inputs), manifest), manifest.calibration)
  const heatMap = async (file: string, out: string | undefined) =>
    out === undefined || preprocessing.kind !== 'image'
      ? {}
      : { heatMap: await drawHeatMap(file, out, preprocessing, tools, riskOf) }

  return {
    scorer: { pack, score, together },
    async measure(file, { heatMap: heatMapFile, probe = false } = {}): Promise<Measurement> {
      const started = performance.now()
      const media = await read(file, manifest, tools)
      const decoded = performance.now()
      const scored = await score(media.parts())
      const rawScore = together(scored)
      const variants: ScoredPart[] = []
      // Inside the band the verdict is unsure already, so the re-encodings could add nothing to it.
      const risk = calibrate(rawScore, manifest.calibration, media.length)
      if (probe && manifest.stabilityProbe && !isUnsure(risk, manifest.decisionBand)) {
        for await (const { name, parts } of media.variants())
          variants.push({ name, rawScore: together(await score(parts)) })
      }
      return {
        rawScore,
        notes: `${media.says}; ${describeParts(scored)}`,
        ...(media.length === undefined ? {} : { length: media.length }),
        parts: highestParts(scored),
        variants,
        evidence: [],
        ...(await heatMap(file, heatMapFile)),
        elapsedMs: { decode: decoded - started, infer: performance.now() - decoded },
      }
    },
  }
}

/** How many parts there were, between which logits, and which was highest. */
function describeParts(scored: readonly ScoredPart[]): string {
  const logits = scored.map(({ rawScore }) => rawScore)
  const range = `logit ${Math.min(...logits).toFixed(2)} to ${Math.max(...logits).toFixed(2)}`
  return scored.length === 1
    ? `1 part (${scored[0]?.name}), ${range}`
    : `${scored.length} parts, ${range}, highest ${highestParts(scored)[0]?.name}`
}
