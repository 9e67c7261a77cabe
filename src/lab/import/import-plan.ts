import { packagePath } from '../../core/files.js'
import type { MediaType } from '../../core/media-types.js'
import type { OnnxTensor, OnnxTensors } from '../../detect/contract/network.js'
import { AUDIO_MASK, type Preprocessing } from '../../detect/package/preprocessing.js'
import { TOKEN_INPUTS } from '../../detect/text/token-features.js'
import { audioPlan } from './audio-plan.js'
import { findFakeClasses } from './fake-classes.js'
import type { HuggingFaceExport } from './hugging-face-export.js'
import { imagePlan } from './image-plan.js'
import { SERVE_IT, unsupported } from './import-error.js'
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

const ONE_OUTPUT = 'The one output was taken to rise with the one label.'

/** What to do about other channels. */
export const CHANNELS_FIRST = 'Export it for RGB pictures with the channels first (tf2onnx: --inputs-as-nchw).'
/** The only input of an image and of a waveform classifier. */
const PIXELS = 'pixel_values'
const WAVEFORM = 'input_values'

/** Plans the import: the task follows from the inputs of the network. @throws AttestdError import-unsupported */
export function planImport(found: HuggingFaceExport, names: OnnxTensors, request: ImportRequest): ImportPlan {
  const task = taskOf(found, names, request)
  const classes = findFakeClasses(found.config, request.fakeLabels)
  return {
    ...task,
    guesses: classes.labels.length > 1 ? task.guesses : [...task.guesses, ONE_OUTPUT],
    output: outputOf(names.outputs, classes.labels.length),
    classes,
  }
}

function taskOf(found: HuggingFaceExport, { inputs }: OnnxTensors, request: ImportRequest): Task {
  const takes = inputs.map(({ name }) => name)
  const listed = takes.join(', ')
  requireFree(inputs, 0, 'batch size', [1])
  if (takes.includes('input_ids')) {
    const foreign = takes.find((name) => !(TOKEN_INPUTS as readonly string[]).includes(name))
    if (foreign !== undefined) throw unsupported(`The network takes ${listed}; ${foreign} is not known.`)
    requireType(inputs, ['int64', 'int32'])
    requireFree(inputs, 1, 'number of tokens')
    return {
      mediaType: 'text',
      inputs: takes,
      files: Object.values(TOKENIZER_FILES),
      sample: packagePath('samples', 'northanger-abbey.txt'),
      ...textPlan(found, request.languages),
    }
  }
  const input = inputs.find(({ name }) => name !== AUDIO_MASK)
  const unknown = unsupported(
    `The network takes ${listed}; ${PIXELS}, ${WAVEFORM} or input_ids was expected.`,
    `Other inputs, such as spectrograms and clips of video, are not prepared here. ${SERVE_IT}`,
  )
  if (input === undefined || takes.length > (takes.includes(AUDIO_MASK) ? 2 : 1)) throw unknown
  if (input.shape.length > 4)
    throw unsupported(
      `${input.name} of the network has ${input.shape.length} dimensions, not 4 as a picture.`,
      SERVE_IT,
    )
  requireType([input], ['float32', 'float16', 'uint8'])
  if (takes.length === 1 && (input.name === PIXELS || input.shape.length === 4)) return pictureTask(found, input)
  if (input.name !== WAVEFORM && input.shape.length !== 2) throw unknown
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
  const [, channels, , last] = input.shape
  if (last === 3 && channels !== 3) throw unsupported('The network takes the color channels last.', CHANNELS_FIRST)
  if (channels !== null && channels !== 3)
    throw unsupported(`The network takes ${channels} color channels, not 3.`, CHANNELS_FIRST)
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

/** @param sizes those that are no obstacle if they are fixed */
function requireFree(inputs: readonly OnnxTensor[], axis: number, what: string, sizes: readonly number[] = []): void {
  const size = inputs.map(({ shape }) => shape[axis]).find((each) => typeof each === 'number' && !sizes.includes(each))
  if (size === undefined) return
  throw unsupported(
    `The network was exported for a fixed ${what} of ${size}.`,
    `Export it again with a free ${what} (dynamic_axes, or dynamic_shapes with dynamo=True); optimum-cli does so by itself.`,
  )
}

function outputOf(outputs: readonly OnnxTensor[], classes: number): string {
  const output = outputs.find(({ name }) => name === 'logits') ?? (outputs.length === 1 ? outputs[0] : undefined)
  if (output === undefined) {
    throw unsupported(
      `The network returns ${outputs.map(({ name }) => name).join(', ')}; none is called logits.`,
      'Export it with one output, or call that of the classes logits (output_names of torch.onnx.export).',
    )
  }
  const given = output.shape.at(-1)
  if (given !== null && given !== undefined && given !== classes) {
    throw unsupported(`The network returns ${given} classes, config.json names ${classes}.`)
  }
  return output.name
}
