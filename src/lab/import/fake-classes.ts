import type { ModelConfig } from './hugging-face-export.js'
import { unsupported } from './import-error.js'

/** Words that make a label mean fake. */
const FAKE_WORDS = [
  'fake',
  'deepfake',
  'ai',
  'aigc',
  'artificial',
  'generated',
  'synthetic',
  'spoof',
  'spoofed',
  'machine',
]
/** Words that turn the meaning of a label round, such as `not ai`. */
const TURNING_WORDS = ['not', 'non', 'no', 'real', 'human', 'bonafide', 'genuine', 'authentic']

/** The classes of a model, and which of them mean fake. */
export interface FakeClasses {
  /** In the order of the model's outputs. */
  readonly labels: readonly string[]
  /** Indices, rising. */
  readonly fake: readonly number[]
}

/**
 * Finds the classes that mean fake by the labels of config.json.
 * @param named labels that a person states mean fake; null: by their words
 * @throws AttestdError import-unsupported where no label, or every one of several, means fake
 */
export function findFakeClasses({ id2label, problem_type }: ModelConfig, named: readonly string[] | null): FakeClasses {
  const labels = labelsOf(id2label)
  const all = labels.map((label) => JSON.stringify(label)).join(', ')
  const unknown = named?.find((label) => !labels.includes(label))
  if (unknown !== undefined) throw unsupported(`There is no label ${JSON.stringify(unknown)}; there are: ${all}.`)
  const isFake = named === null ? meansFake : (label: string) => named.includes(label)
  const fake = labels.flatMap((label, index) => (isFake(label) ? [index] : []))
  if (fake.length === 0)
    throw unsupported(`None of the labels ${all} means fake; name the one that does with --fake-label.`)
  if (fake.length === labels.length && labels.length > 1)
    throw unsupported(`Every label of ${all} means fake; name those that do with --fake-label.`)
  if (problem_type === 'multi_label_classification' && labels.length > 1)
    throw unsupported(
      `config.json states ${problem_type}: each of ${all} has its own sigmoid, which a package cannot state.`,
      'Export the fake class alone: one output, and one label in config.json.',
    )
  return { labels, fake }
}

function labelsOf(id2label: ModelConfig['id2label']): string[] {
  const entries = Object.entries(id2label ?? {})
  if (entries.length === 0) throw unsupported('config.json names no class in id2label.')
  return entries.map((_, index) => {
    const label = id2label?.[String(index)]
    if (label === undefined) throw unsupported(`id2label of config.json names no class ${index}.`)
    return String(label)
  })
}

function meansFake(label: string): boolean {
  const words = label
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
  return words.some((word) => FAKE_WORDS.includes(word)) && !words.some((word) => TURNING_WORDS.includes(word))
}
