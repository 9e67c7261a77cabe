import type { DetectorManifest } from './manifest.js'

/** A package by its id, with what the operator states about its part in the scores; the manifest states the rest. */
export interface DetectorChoice {
  readonly id: string
  /** Share in an ensemble; a package that is given one is no shadow. */
  readonly weight?: number | undefined
  readonly shadow?: boolean | undefined
  /** Percent of the assets that it scores in place of the active detectors. */
  readonly canary?: number | undefined
}

/** What a package's part in the scores is: the operator's word before the manifest's. */
export function partInScores(
  { weight, shadow, canary }: DetectorChoice,
  manifest: Pick<DetectorManifest, 'weight' | 'shadow'>,
): { weight: number; shadow: boolean; canary?: number } {
  if (canary !== undefined) return { weight: manifest.weight, shadow: false, canary }
  return {
    weight: weight ?? manifest.weight,
    shadow: shadow ?? (weight === undefined && manifest.shadow),
  }
}
