import type { ChosenDetector } from '../../config/detector-choice.js'
import type { DetectorManifest } from './manifest.js'

/** A package by its id, with what the operator states about its part in the scores; the manifest states the rest. */
export interface DetectorChoice extends ChosenDetector {
  /** A shadow because no list names it. */
  readonly unlisted?: boolean | undefined
}

/** In a list: every package that it does not name, except variants. A shadow always. */
export const OTHERS = '*'

const SHIPPED: ReadonlySet<string> = new Set([
  'attestd-audio',
  'attestd-image',
  'attestd-image-open',
  'attestd-text',
  'attestd-text-open',
  'attestd-video',
  'attestd-video-open',
])

/**
 * What a list means for the packages of a folder. Without a list, those that come with attestd count, and one that was copied
 * to them does not; in a folder of other packages alone, all count.
 */
export function choicesIn(available: readonly string[], list: readonly DetectorChoice[]): readonly DetectorChoice[] {
  const named = list.filter(({ id }) => id !== OTHERS)
  if (list.length > 0 && named.length === list.length) return named
  const rest = available.filter((id) => !named.some((one) => one.id === id))
  const counts = (id: string) =>
    list.length === 0 && (SHIPPED.has(id) || !available.some((other) => SHIPPED.has(other)))
  return [...named, ...rest.map((id) => (counts(id) ? { id } : { id, shadow: true, unlisted: true }))]
}

/** What a package's part in the scores is: the operator's word before the manifest's. */
export function partInScores(
  { weight, shadow, canary, unlisted }: DetectorChoice,
  manifest: Pick<DetectorManifest, 'weight' | 'shadow'>,
): { weight: number; shadow: boolean; canary?: number; unlisted?: boolean } {
  if (canary !== undefined) return { weight: manifest.weight, shadow: false, canary }
  return {
    weight: weight ?? manifest.weight,
    shadow: shadow ?? (weight === undefined && manifest.shadow),
    ...(unlisted ? { unlisted } : {}),
  }
}
