import fs from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { isThere, readFileIfPresent } from '../../core/files.js'
import { relativePath } from '../../detect/package/package-file.js'
import { SERVE_IT, unsupported } from './import-error.js'
import { outerFiles } from './onnx-file.js'
import { asPreprocessor, timmConfig } from './timm-config.js'

/** Where an exporter puts the weights, the first that is there. */
const MODEL_FILES = ['onnx/model.onnx', 'model.onnx']
const EXPORTER = 'optimum-cli export onnx --model MODEL FOLDER'
/** Node reads no larger file at once, and a detector process holds the weights twice while it loads them. */
const MAX_WEIGHTS_BYTES = 2 ** 31 - 1
/** Larger JSON files than any tokenizer has are a mistake. */
const MAX_JSON_BYTES = 64 * 1024 * 1024

/** config.json, as far as a classifier needs it. */
const modelConfig = z.object({
  architectures: z.array(z.string()).optional(),
  model_type: z.string().optional(),
  id2label: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
  problem_type: z.string().nullish(),
  max_position_embeddings: z.number().optional(),
  _name_or_path: z.string().optional(),
  /** Of timm: the network, its labels and its input. */
  architecture: z.string().optional(),
  label_names: z.array(z.string()).optional(),
  num_classes: z.number().int().positive().optional(),
  pretrained_cfg: timmConfig.optional(),
})

/** A fast image processor of transformers writes null for what it does not use. */
const stated = <T>(schema: z.ZodType<T>) =>
  schema
    .nullish()
    .transform((value) => value ?? undefined)
    .optional()
/** A step that is on where nothing is stated, and off where null is. */
const step = z
  .boolean()
  .nullable()
  .transform((on) => on ?? false)
  .optional()
const side = stated(z.number().positive())
const sizes = stated(
  z.union([z.number().positive(), z.object({ height: side, width: side, shortest_edge: side, longest_edge: side })]),
)
const channels = z.union([z.number(), z.array(z.number())])

/** preprocessor_config.json of an image processor or a feature extractor. */
const preprocessorConfig = z.object({
  image_processor_type: z.string().optional(),
  feature_extractor_type: z.string().optional(),
  do_resize: step,
  size: sizes,
  crop_pct: z.number().positive().nullish(),
  resample: stated(z.number().int()),
  do_center_crop: z.boolean().nullish(),
  crop_size: sizes,
  do_rescale: step,
  rescale_factor: stated(z.number().positive()),
  do_normalize: step,
  image_mean: channels.nullish(),
  image_std: channels.nullish(),
  include_top: z.boolean().nullish(),
  rescale_offset: z.boolean().nullish(),
  do_flip_channel_order: z.boolean().nullish(),
  do_pad: z.boolean().nullish(),
  sampling_rate: z.number().int().optional(),
})

/** processor_config.json, which transformers 5 writes: the same for each kind of input. */
const processorConfig = z.object({
  image_processor: preprocessorConfig.optional(),
  feature_extractor: preprocessorConfig.optional(),
})

const tokenizerConfig = z.object({ model_max_length: z.number().optional() })

export type ModelConfig = z.infer<typeof modelConfig>
export type PreprocessorConfig = z.infer<typeof preprocessorConfig>

/** A folder that was exported for ONNX from the Hugging Face hub. */
export interface HuggingFaceExport {
  readonly folder: string
  /** Absolute path of the weights. */
  readonly model: string
  /** By which name it refers to weights in another file of its folder; null where it holds all. */
  readonly data: string | null
  readonly config: ModelConfig
  readonly preprocessor: PreprocessorConfig | null
  /** Whether there are tokenizer.json and tokenizer_config.json, and the longest input in tokens that is stated. */
  readonly tokenizer: { readonly maxLength: number | null } | null
  /** As the README of the export states it; null where it does not. */
  readonly license: string | null
}

/** Reads the parts of an export. @param model weights elsewhere than usual @throws AttestdError import-unsupported */
export async function readExport(folder: string, model: string | null): Promise<HuggingFaceExport> {
  const config = await readJson(folder, 'config.json', modelConfig)
  if (config === null)
    throw unsupported(`${folder} holds no config.json.`, `Name the folder of an export: ${EXPORTER} writes one.`)
  const { architecture, label_names: names, pretrained_cfg: timm } = config
  const preprocessor = await readPreprocessor(folder)
  const weights = await findModel(folder, model)
  await refuseLarge(weights)
  const data = await findData(weights)
  return {
    folder,
    model: weights,
    data,
    config: {
      ...config,
      architectures: config.architectures ?? (architecture === undefined ? undefined : [architecture]),
      id2label: config.id2label ?? Object.fromEntries((names ?? numbered(config.num_classes)).entries()),
    },
    preprocessor: preprocessor ?? (timm === undefined ? null : asPreprocessor(timm)),
    tokenizer: await findTokenizer(folder),
    license: await statedLicense(folder),
  }
}

/** Two labels without words, which transformers leaves out of config.json, or as many as timm counts. */
const numbered = (classes = 2) => Array.from({ length: classes }, (_, index) => `LABEL_${index}`)

async function findModel(folder: string, named: string | null): Promise<string> {
  for (const name of named === null ? MODEL_FILES : [named]) {
    const file = path.join(folder, name)
    const stat = await fs.stat(file).catch(() => null)
    if (stat?.isFile()) return file
  }
  throw unsupported(`${folder} holds no ${named ?? MODEL_FILES.join(' nor ')}; name the file with --model.`)
}

/** Exporters put weights beyond 2 GB elsewhere, and torch.onnx all of them. */
async function findData(model: string): Promise<string | null> {
  const [name, ...others] = outerFiles(await fs.readFile(model))
  if (name === undefined) return null
  const inside = 'Save the weights as one file: onnx.save_model with all_tensors_to_one_file=True and a location.'
  if (others.length > 0) throw unsupported(`The weights lie in ${others.length + 1} files, such as ${name}.`, inside)
  if (!relativePath.safeParse(name).success)
    throw unsupported(`The weights lie in ${name}, outside the folder of ${model}.`, inside)
  const file = path.join(path.dirname(model), name)
  if (!(await isThere(file)))
    throw unsupported(`${file} is missing, in which ${path.basename(model)} has its weights.`, 'Copy it there.')
  await refuseLarge(file)
  return name
}

async function refuseLarge(file: string): Promise<void> {
  const { size } = await fs.stat(file)
  if (size > MAX_WEIGHTS_BYTES)
    throw unsupported(
      `${file} has ${size} bytes; a package takes files up to 2 GiB.`,
      `Export it with weights of 16 or 8 bits. Or: ${SERVE_IT}`,
    )
}

/** preprocessor_config.json, or what newer exports write in its place. */
async function readPreprocessor(folder: string): Promise<PreprocessorConfig | null> {
  const own = await readJson(folder, 'preprocessor_config.json', preprocessorConfig)
  if (own !== null) return own
  const processor = await readJson(folder, 'processor_config.json', processorConfig)
  return processor?.image_processor ?? processor?.feature_extractor ?? null
}

async function findTokenizer(folder: string): Promise<HuggingFaceExport['tokenizer']> {
  const tokenizer = await readJson(folder, 'tokenizer.json', z.object({ model: z.unknown() }))
  const config = await readJson(folder, 'tokenizer_config.json', tokenizerConfig)
  if (tokenizer === null || config === null) return null
  const length = config.model_max_length
  // Tokenizers without a limit state one of 10^30.
  return { maxLength: length !== undefined && length < 1e6 ? length : null }
}

async function readJson<T>(folder: string, name: string, schema: z.ZodType<T>): Promise<T | null> {
  const bytes = await readPart(folder, name)
  if (bytes === null) return null
  const again = `Export the model again: ${EXPORTER}.`
  if (bytes.length > MAX_JSON_BYTES) throw unsupported(`${name} is ${bytes.length} bytes, far too large.`, again)
  let json: unknown
  try {
    json = JSON.parse(bytes.toString('utf8'))
  } catch (cause) {
    throw unsupported(`${name} is not JSON.`, again, cause)
  }
  const parsed = schema.safeParse(json)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const field = issue?.path.join('.') || 'the top level'
  // A union of forms states no more than this.
  const why = issue?.message.replace(/^Invalid input(?:: )?/, '') || 'is of no form that is known'
  throw unsupported(`${name} is not accepted: ${field}: ${why}`, `Correct ${field} in ${name}. ${again}`)
}

/** A file of the export; null where there is none. @throws AttestdError import-unsupported where it cannot be read */
function readPart(folder: string, name: string): Promise<Buffer | null> {
  return readFileIfPresent(path.join(folder, name)).catch((cause: NodeJS.ErrnoException) => {
    const is = cause.code === 'EISDIR' ? 'is a folder, not a file' : 'cannot be read by this user'
    throw unsupported(
      `${path.join(folder, name)} ${is}.`,
      `Replace it or make it readable. ${EXPORTER} writes it.`,
      cause,
    )
  })
}

/** The `license` line of the head of README.md. */
async function statedLicense(folder: string): Promise<string | null> {
  const text = (await readPart(folder, 'README.md'))?.toString('utf8') ?? ''
  const [, head = ''] = /^---\n(.*?)\n---/s.exec(text) ?? []
  const [, license = ''] = /^license:\s*["']?([\w .+-]{1,100})/m.exec(head) ?? []
  return license.trim() === '' ? null : license.trim()
}
