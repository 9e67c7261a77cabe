import { createHash } from 'node:crypto'
import path from 'node:path'
import { z } from 'zod'
import { AttestdError } from '../core/errors.js'
import { MEDIA_TYPES } from '../core/media-types.js'

/** Name of the manifest inside a package folder. */
export const MANIFEST_FILE = 'detector.json'

/** Smallest short side, px, that is scored where a package does not state its own; below it an image is all upsampling. */
const DEFAULT_MIN_SHORT_SIDE = 32

const line = z.string().min(1).max(500)
const prose = z.string().min(1).max(5000)
const triple = z.tuple([z.number(), z.number(), z.number()])
const probability = z.number().min(0).max(1)

const relativePath = z
  .string()
  .min(1)
  .max(200)
  .refine(staysInside, 'must be a plain relative path inside the package folder, with / between its parts')

const packageFile = z.strictObject({
  sha256: z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 lower-case hex characters'),
  bytes: z.int().min(1),
})

const onnxRuntime = z.strictObject({
  kind: z.literal('onnx'),
  model: relativePath,
  input: line,
  output: line,
})

const imagePreprocessing = z.strictObject({
  kind: z.literal('image'),
  resize: z.strictObject({ shortSide: z.int().min(8).max(2048), kernel: z.literal('lanczos3') }),
  crops: z.strictObject({ size: z.int().min(8).max(2048), positions: z.enum(['five', 'center']) }),
  normalize: z.strictObject({
    mean: triple,
    std: z.tuple([z.number().positive(), z.number().positive(), z.number().positive()]),
  }),
  minShortSide: z.int().min(1).max(4096).default(DEFAULT_MIN_SHORT_SIDE),
})

const calibrationSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('platt'), slope: z.number().positive(), intercept: z.number() }),
  z.strictObject({ kind: z.literal('identity') }),
])

const manifestShape = z.strictObject({
  schema: z.literal(1),
  id: z.string().regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'must be 1-64 of a-z 0-9 . _ - and start with a letter or digit'),
  version: z.string().regex(/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/, 'must be a version such as 1.0.0'),
  title: line,
  mediaTypes: z.array(z.enum(MEDIA_TYPES)).min(1),
  runtime: z.discriminatedUnion('kind', [onnxRuntime]),
  files: z.record(relativePath, packageFile),
  preprocessing: z.discriminatedUnion('kind', [imagePreprocessing]),
  outputKind: z.enum(['logit', 'probability']),
  aggregation: z.enum(['mean', 'max']),
  calibration: calibrationSchema,
  decisionBand: z.strictObject({ low: probability, high: probability }),
  selfTest: z.strictObject({ file: relativePath, risk: probability, tolerance: z.number().min(0).max(0.5) }),
  training: z.strictObject({ data: prose, license: line }),
  license: line,
})

/** The schema of detector.json, version 1. Unknown fields are refused, so that a misspelt one is never ignored. */
export const manifestSchema = manifestShape.superRefine(checkReferences)

/** A checked detector.json. */
export type DetectorManifest = z.infer<typeof manifestSchema>
export type ImagePreprocessing = z.infer<typeof imagePreprocessing>
export type Calibration = z.infer<typeof calibrationSchema>
export type OutputKind = DetectorManifest['outputKind']
export type Aggregation = DetectorManifest['aggregation']

/**
 * Parses the text of a detector.json.
 * @param where path of the file, for the error
 * @throws AttestdError manifest-invalid with one line for each bad field
 */
export function parseManifest(text: string, where: string): DetectorManifest {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (error) {
    throw new AttestdError('manifest-invalid', `${where} is not JSON: ${(error as Error).message}`, { cause: error })
  }
  const parsed = manifestSchema.safeParse(json)
  if (parsed.success) return parsed.data
  const lines = parsed.error.issues.map((issue) => `  ${issue.path.join('.') || '(top level)'}: ${issue.message}`)
  throw new AttestdError('manifest-invalid', `${where} is not accepted:\n${lines.join('\n')}`)
}

/** sha256 (64 hex) over the manifest text; it stands for the whole package because the text names every file by digest. */
export function manifestDigest(text: string | Uint8Array): string {
  return createHash('sha256').update(text).digest('hex')
}

function staysInside(name: string): boolean {
  if (name.includes('\\') || name.includes('\0') || path.posix.isAbsolute(name)) return false
  return (
    path.posix.normalize(name) === name &&
    !name.startsWith('../') &&
    name !== '..' &&
    name !== '.' &&
    !name.endsWith('/')
  )
}

interface Context {
  addIssue(issue: { code: 'custom'; path: (string | number)[]; message: string }): void
}

function checkReferences(manifest: z.infer<typeof manifestShape>, context: Context): void {
  const complain = (at: (string | number)[], message: string) => context.addIssue({ code: 'custom', path: at, message })
  if (!Object.hasOwn(manifest.files, manifest.runtime.model)) complain(['runtime', 'model'], 'is not listed in files')
  if (!Object.hasOwn(manifest.files, manifest.selfTest.file)) complain(['selfTest', 'file'], 'is not listed in files')
  if (manifest.decisionBand.low > manifest.decisionBand.high)
    complain(['decisionBand', 'low'], 'must not be above high')
  const { resize, crops } = manifest.preprocessing
  if (crops.size > resize.shortSide) complain(['preprocessing', 'crops', 'size'], 'must not be above resize.shortSide')
  for (const [index, type] of manifest.mediaTypes.entries()) {
    if (type !== 'image') complain(['mediaTypes', index], `cannot be ${type} with preprocessing of kind image`)
  }
}
