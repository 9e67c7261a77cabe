import { createHash } from 'node:crypto'
import { z } from 'zod'
import { AttestdError } from '../../core/errors.js'
import { MEDIA_TYPES, type MediaType } from '../../core/media-types.js'
import { calibrationSchema } from './calibration-schema.js'
import { fusionSchema } from './image-views.js'
import { packageFile, packageId, relativePath } from './package-file.js'
import { type Preprocessing, preprocessingSchema } from './preprocessing.js'
import { runtimeSchema, takesFile } from './runtime.js'

/** Name of the manifest inside a package folder. */
export const MANIFEST_FILE = 'detector.json'

const line = z.string().min(1).max(500)
const prose = z.string().min(1).max(5000)
const probability = z.number().min(0).max(1)

const manifestShape = z.strictObject({
  /** Where an editor finds the JSON schema; not read here. */
  $schema: z.string().optional(),
  schema: z.literal(1),
  id: packageId,
  version: z.string().regex(/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/, 'must be a version such as 1.0.0'),
  title: line,
  mediaTypes: z.array(z.enum(MEDIA_TYPES)).min(1),
  /** Share in an ensemble with other detectors of the same media type, in logit space. */
  weight: z.number().positive().max(1000).default(1),
  /** Measured on live work, never submitted. */
  shadow: z.boolean().default(false),
  /** The package that this is another edition of: where that one is present, this one is loaded only when it is named. */
  variantOf: packageId.optional(),
  runtime: runtimeSchema,
  files: z.record(relativePath, packageFile),
  preprocessing: preprocessingSchema,
  /** What the model gives: one logit, one probability, or the logits of several classes. */
  outputKind: z.enum(['logit', 'probability', 'class-logits']),
  /** Indices of the classes that mean fake; with outputKind class-logits only. */
  fakeClasses: z.array(z.int().min(0)).min(1).optional(),
  /** How many classes the model gives; with outputKind class-logits only. Absent: as many as its first output in a process has. */
  classes: z.int().min(2).max(100_000).optional(),
  /** How the logits of the parts (crops, windows, frames) become one: `top-mean` is the mean of the highest quarter. */
  aggregation: z.enum(['mean', 'max', 'top-mean']),
  /** How the views of a picture become one logit; with preprocessing image-views only. */
  fusion: fusionSchema.optional(),
  calibration: calibrationSchema,
  decisionBand: z.strictObject({ low: probability, high: probability }),
  /**
   * Whether of a file outside the band a few re-encodings are scored too; a verdict that they flip counts as unsure.
   * `withinLogit`: only where the logit of its risk lies no farther than this from 50 %, where a verdict changes sides.
   */
  stabilityProbe: z.union([z.boolean(), z.strictObject({ withinLogit: z.number().positive() })]).default(false),
  selfTest: z.strictObject({ file: relativePath, risk: probability, tolerance: z.number().min(0).max(0.5) }),
  training: z.strictObject({ data: prose, license: line }),
  license: line,
  /** Whether these terms allow commercial use of the weights, those of the packages that it uses included. */
  openWeights: z.boolean().default(false),
})

/** The schema of detector.json, version 1. Unknown fields are refused, so that a misspelt one is never ignored. */
export const manifestSchema = manifestShape.superRefine(checkReferences)

/** A checked detector.json. */
export type DetectorManifest = z.infer<typeof manifestSchema>
/** How the logits of the parts become one: mean, highest, or mean of the highest quarter (`top-mean`). */
export type Aggregation = DetectorManifest['aggregation']

/** Parses a detector.json. @param where its path, for errors @throws manifest-invalid, a line for each bad field */
export function parseManifest(text: string, where: string): DetectorManifest {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (error) {
    throw new AttestdError('manifest-invalid', `${where} is not JSON: ${(error as Error).message}`, { cause: error })
  }
  return checkManifest(manifestSchema, json, where)
}

/** @throws AttestdError manifest-invalid with one line for each bad field */
export function checkManifest<Shape extends z.ZodType>(shape: Shape, json: unknown, where: string): z.output<Shape> {
  const parsed = shape.safeParse(json)
  if (parsed.success) return parsed.data
  const lines = parsed.error.issues.map((issue) => `  ${issue.path.join('.') || '(top level)'}: ${issue.message}`)
  throw new AttestdError('manifest-invalid', `${where} is not accepted:\n${lines.join('\n')}`)
}

/** The files that the fields of a manifest name, whether or not it lists them. @throws AttestdError manifest-invalid */
export const filesNamedIn = (json: unknown, where: string): string[] =>
  namedFiles(checkManifest(manifestShape, json, where)).map(([, name]) => name)

/** sha256 (64 hex) over the manifest text; it stands for the whole package because the text names every file by digest. */
export const manifestDigest = (text: string | Uint8Array): string => createHash('sha256').update(text).digest('hex')

interface Context {
  addIssue(issue: { code: 'custom'; path: (string | number)[]; message: string }): void
}

/** Media types that each kind of preprocessing can read; a module reads what it states. */
const READABLE: Record<Exclude<Preprocessing['kind'], 'none'>, readonly MediaType[]> = {
  image: ['image'],
  'image-views': ['image'],
  audio: ['audio'],
  text: ['text'],
  video: ['video_short', 'video_long'],
}

function checkReferences(manifest: z.infer<typeof manifestShape>, context: Context): void {
  const complain = (at: (string | number)[], message: string) => context.addIssue({ code: 'custom', path: at, message })
  const { runtime, preprocessing } = manifest
  for (const [at, name] of namedFiles(manifest)) {
    if (!Object.hasOwn(manifest.files, name)) complain(at, 'is not listed in files')
  }
  if (manifest.decisionBand.low > manifest.decisionBand.high)
    complain(['decisionBand', 'low'], 'must not be above high')
  if ((manifest.outputKind === 'class-logits') !== (manifest.fakeClasses !== undefined))
    complain(['fakeClasses'], 'must be given with outputKind class-logits, and only with it')
  if (manifest.classes !== undefined && manifest.classes <= Math.max(...(manifest.fakeClasses ?? [Infinity])))
    complain(['classes'], 'must be above every one of fakeClasses, and be given with outputKind class-logits only')
  if (takesFile(runtime) !== (preprocessing.kind === 'none'))
    complain(['preprocessing', 'kind'], 'must be none with a module or remote-file runtime, and only with these')
  if ((runtime.kind === 'composed') !== (preprocessing.kind === 'video'))
    complain(['preprocessing', 'kind'], 'must be video with a composed runtime, and only with it')
  if (preprocessing.kind === 'image' && preprocessing.crops.size > preprocessing.resize.shortSide)
    complain(['preprocessing', 'crops', 'size'], 'must not be above resize.shortSide')
  checkViews(manifest, complain)
  if (preprocessing.kind === 'none') return
  for (const [index, type] of manifest.mediaTypes.entries()) {
    if (!READABLE[preprocessing.kind].includes(type)) {
      complain(['mediaTypes', index], `cannot be ${type} with preprocessing of kind ${preprocessing.kind}`)
    }
  }
}

/** A package for several views states all of a view or nothing: its plan, its network, its weight. */
function checkViews(
  { runtime, preprocessing, fusion, outputKind }: z.infer<typeof manifestShape>,
  complain: (at: string[], message: string) => void,
): void {
  const isViews = preprocessing.kind === 'image-views'
  if ((runtime.kind === 'onnx-views') !== isViews)
    complain(['preprocessing', 'kind'], 'must be image-views with an onnx-views runtime, and only with it')
  if ((fusion !== undefined) !== isViews)
    complain(['fusion'], 'must be given with preprocessing of kind image-views, and only with it')
  if (!isViews) return
  const hasFaces = preprocessing.faces !== undefined
  if (outputKind !== 'logit') complain(['outputKind'], 'must be logit with preprocessing of kind image-views')
  if (runtime.kind === 'onnx-views' && runtime.head !== undefined && runtime.features === undefined)
    complain(['runtime', 'features'], 'must be given with runtime.head, which takes them')
  if (runtime.kind === 'onnx-views' && (runtime.face !== undefined) !== hasFaces)
    complain(['runtime', 'face'], 'must be given with preprocessing.faces, and only with it')
  if (fusion !== undefined && (fusion.withFaces !== undefined) !== hasFaces)
    complain(['fusion', 'withFaces'], 'must be given with preprocessing.faces, and only with it')
  for (const field of ['facesBetween', 'portraits'] as const) {
    if (fusion?.[field] !== undefined && !hasFaces)
      complain(['fusion', field], 'may be given only with preprocessing.faces')
  }
}

/** Every file that a field of the manifest names, with the place of that field. */
function namedFiles({ runtime, preprocessing, selfTest }: z.infer<typeof manifestShape>): [string[], string][] {
  const named: [string[], string][] = [[['selfTest', 'file'], selfTest.file]]
  if (runtime.kind === 'onnx') named.push([['runtime', 'model'], runtime.model])
  if (runtime.kind === 'onnx' && runtime.data !== undefined) named.push([['runtime', 'data'], runtime.data])
  if (runtime.kind === 'onnx-encoded')
    named.push([['runtime', 'view'], runtime.view], [['runtime', 'model'], runtime.model])
  if (runtime.kind === 'module') named.push([['runtime', 'module'], runtime.module])
  if (runtime.kind === 'composed' && runtime.head !== undefined) named.push([['runtime', 'head'], runtime.head])
  if (runtime.kind === 'onnx-views') {
    for (const view of ['whole', 'head', 'face'] as const) {
      const file = runtime[view]
      if (file !== undefined) named.push([['runtime', view], file])
    }
  }
  if (preprocessing.kind === 'image-views' && preprocessing.faces)
    named.push([['preprocessing', 'faces', 'finder'], preprocessing.faces.finder])
  if (preprocessing.kind !== 'text') return named
  const { features } = preprocessing
  const tokens = features.kind === 'tokens' ? features : features.tokens
  const at = ['preprocessing', 'features', ...(features.kind === 'tokens' ? [] : ['tokens'])]
  if (tokens !== undefined)
    named.push([[...at, 'tokenizer'], tokens.tokenizer], [[...at, 'tokenizerConfig'], tokens.tokenizerConfig])
  return named
}
