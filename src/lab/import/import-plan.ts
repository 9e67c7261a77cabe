import { packagePath } from '../../core/files.js'
import type { MediaType } from '../../core/media-types.js'
import type { OnnxTensor, OnnxTensors } from '../../detect/contract/network.js'
import { AUDIO_MASK, type Preprocessing } from '../../detect/package/preprocessing.js'
import { TOKEN_INPUTS } from '../../detect/text/token-features.js'
import { audioPlan } from './audio-plan.js'
import { findFakeClasses } from './fake-classes.js'
import type { HuggingFaceExport } from './hugging-face-export.js'
import { imagePlan } from './image-plan.js'
import { unsupported } from './import-error.js'
import { TOKENIZER_FILES, textPlan } from './text-plan.js'

/** What a person may state that an export does not. */
export interface ImportRequest {
  /** Labels that mean fake; null: by their words. */
  readonly fakeLabels: readonly string[] | null
  /** ISO 639-1 codes, for texts. */
  readonly languages: readonly string[]
  /** For recordings; null: each at its own length. */
  readonly windowSeconds: number | null
}

/** What an export becomes. */
export interface ImportPlan {
  readonly mediaType: MediaType
  readonly preprocessing: Preprocessing
  readonly inputs: string[]
  readonly output: string
  readonly classes: ReturnType<typeof findFakeClasses>
  /** Files that are copied with the weights. */
  readonly files: readonly string[]
  /** Absolute path of the file that becomes the package's own sample: one of those that come with attestd. */
  readonly sample: string
  readonly guesses: readonly string[]
}

type Task = Omit<ImportPlan, 'output' | 'classes'>

const ONE_LOGIT = 'The one output was taken for a logit that rises with the one label.'

/** The only input of an image and of a waveform classifier. */
const PIXELS = 'pixel_values'
const WAVEFORM = 'input_values'

/** Plans the import: the task follows from the inputs of the network. @throws AttestdError import-unsupported */
export function planImport(found: HuggingFaceExport, names: OnnxTensors, request: ImportRequest): ImportPlan {
  const task = taskOf(found, names, request)
  const classes = findFakeClasses(found.config, request.fakeLabels)
  return {
    ...task,
    guesses: classes.labels.length > 1 ? task.guesses : [...task.guesses, ONE_LOGIT],
    output: outputOf(names.outputs, classes.labels.length),
    classes,
  }
}

function taskOf(found: HuggingFaceExport, { inputs }: OnnxTensors, request: ImportRequest): Task {
  const takes = inputs.map(({ name }) => name)
  const listed = takes.join(', ')
  if (takes.includes('input_ids')) {
    const foreign = takes.find((name) => !(TOKEN_INPUTS as readonly string[]).includes(name))
    if (foreign !== undefined) throw unsupported(`The network takes ${listed}; ${foreign} is not known.`)
    requireType(inputs, ['int64', 'int32'])
    return {
      mediaType: 'text',
      inputs: takes,
      files: Object.values(TOKENIZER_FILES),
      sample: packagePath('samples', 'northanger-abbey.txt'),
      ...textPlan(found, request.languages),
    }
  }
  const input = inputs.find(({ name }) => name !== AUDIO_MASK)
  if (input === undefined || takes.length > (takes.includes(AUDIO_MASK) ? 2 : 1))
    throw unsupported(`The network takes ${listed}; ${PIXELS}, ${WAVEFORM} or input_ids was expected.`)
  requireType([input], ['float32', 'float16', 'uint8'])
  if (takes.length === 1 && (input.name === PIXELS || input.shape.length === 4)) return pictureTask(found, input)
  if (input.name !== WAVEFORM && input.shape.length !== 2) {
    throw unsupported(`The network takes ${listed}; ${PIXELS}, ${WAVEFORM} or input_ids was expected.`)
  }
  requireType([input], ['float32', 'float16'])
  requireType(
    inputs.filter(({ name }) => name === AUDIO_MASK),
    ['int64', 'int32'],
  )
  return {
    mediaType: 'audio',
    inputs: [input.name, ...takes.filter((name) => name === AUDIO_MASK)],
    files: [],
    sample: packagePath('samples', 'inaugural-address.ogg'),
    ...audioPlan(found.preprocessor, request.windowSeconds, input.shape[1] ?? null),
  }
}

function pictureTask({ preprocessor }: HuggingFaceExport, input: OnnxTensor): Task {
  if (input.shape[1] !== null && input.shape[1] !== 3)
    throw unsupported(`The network takes ${input.shape[1]} color channels, not 3.`)
  const sample = packagePath('samples', 'chelsea.jpg')
  const plan = imagePlan(preprocessor, input.type === 'uint8')
  return { mediaType: 'image', inputs: [input.name], files: [], sample, ...plan }
}

function requireType(inputs: readonly OnnxTensor[], types: readonly string[]): void {
  const other = inputs.find(({ type }) => type === null || !types.includes(type))
  if (other === undefined) return
  throw unsupported(
    `The input ${other.name} of the network is ${other.type ?? 'no tensor'}, not ${types.join(' or ')}.`,
    `Export the model again with ${other.name} as ${types[0]}.`,
  )
}

function outputOf(outputs: readonly OnnxTensor[], classes: number): string {
  const output = outputs.find(({ name }) => name === 'logits') ?? (outputs.length === 1 ? outputs[0] : undefined)
  if (output === undefined) {
    throw unsupported(`The network returns ${outputs.map(({ name }) => name).join(', ')}; none is called logits.`)
  }
  const given = output.shape.at(-1)
  if (given !== null && given !== undefined && given !== classes) {
    throw unsupported(`The network returns ${given} classes, config.json names ${classes}.`)
  }
  return output.name
}
