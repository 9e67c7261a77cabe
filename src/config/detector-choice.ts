import { z } from 'zod'
import { list } from './setting.js'

/** One detector package of the setting, with what is stated there about its part in the scores. */
export interface ChosenDetector {
  readonly id: string
  /** Share in an ensemble, which makes it no shadow; undefined: what the manifest states. */
  readonly weight?: number | undefined
  /** Whether it is only measured; undefined: what the manifest states. */
  readonly shadow?: boolean | undefined
  /** Percent of the assets that it scores as a candidate, 1 to 99. */
  readonly canary?: number | undefined
}

const ENTRY = /^(\*(?==shadow$)|[a-z0-9][a-z0-9._-]*)(?:=(shadow|canary:[1-9]\d?|\d+(?:\.\d+)?))?$/
const CANARY = 'canary:'
const MAX_WEIGHT = 1000
const EXPECTED = `id, id=weight (above 0, at most ${MAX_WEIGHT}), id=shadow, id=canary:percent (1 to 99) or *=shadow`

const entry = z
  .string()
  .regex(ENTRY, EXPECTED)
  .transform(parseEntry)
  .refine(({ weight = 1 }) => weight > 0 && weight <= MAX_WEIGHT, EXPECTED)

/** Comma-separated `id`, `id=weight`, `id=shadow` and `id=canary:percent`, each id once; `*=shadow` for all that it does not name. */
export const chosenDetectors = list<ChosenDetector>(entry).refine(
  (all) => new Set(all.map(({ id }) => id)).size === all.length,
  'each package id once',
)

/** The text of the setting that stands for these choices. */
export const choicesText = (choices: readonly ChosenDetector[]): string => choices.map(choiceText).join(',')

export function choiceText({ id, weight, shadow, canary }: ChosenDetector): string {
  if (canary !== undefined) return `${id}=canary:${canary}`
  if (shadow) return `${id}=shadow`
  return weight === undefined ? id : `${id}=${weight}`
}

/** A number of the settings file, which gives each as its text. */
const weightInFile = z.string().transform(Number).pipe(z.number())

/** An entry of the settings file that is written out. */
export const choiceInFile = z
  .strictObject({
    id: z.string(),
    weight: weightInFile.optional(),
    shadow: z.boolean().optional(),
    canary: weightInFile.optional(),
  })
  .refine(({ weight, shadow }) => weight === undefined || !shadow, 'a shadow takes no weight')
  .refine(
    ({ canary, weight, shadow }) => canary === undefined || (weight === undefined && !shadow),
    'a canary is nothing else',
  )
  .transform(choiceText)

function parseEntry(text: string): ChosenDetector {
  const [, id = '', part] = ENTRY.exec(text) ?? []
  if (part === undefined) return { id }
  if (part.startsWith(CANARY)) return { id, canary: Number(part.slice(CANARY.length)) }
  return part === 'shadow' ? { id, shadow: true } : { id, weight: Number(part), shadow: false }
}
