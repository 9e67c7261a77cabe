import { z } from 'zod'
import { relativePath } from './package-file.js'

const line = z.string().min(1).max(500)

const tensorName = line
const packageName = z.string().min(1).max(64)
/** Names of the model's inputs, in the order in which the preprocessing gives them. */
const inputs = z.union([tensorName.transform((name) => [name]), z.array(tensorName).min(1).max(8)])

/** A network in this package, run in the detector process. */
const onnxRuntime = z.strictObject({
  kind: z.literal('onnx'),
  model: relativePath,
  /** Weights that lie outside the model, in the file that it refers to by this name. */
  data: relativePath.optional(),
  input: inputs,
  output: tensorName,
})

/** A network for each view of a picture, in this package; both with the same input and output names. */
const onnxViewsRuntime = z.strictObject({
  kind: z.literal('onnx-views'),
  /** Each: input [1, 3, H, W] for every H and W that its view may have, output one logit. */
  whole: relativePath,
  /**
   * Judges the whole in place of the logit of its network: from what that gives as `features`, this network's input `features`
   * [1, n], to its output `logit` [1].
   */
  head: relativePath.optional(),
  face: relativePath.optional(),
  input: tensorName,
  output: tensorName,
  /** What the network of the whole gives for `head`, and for packages that name this one as their encoder. */
  features: tensorName.optional(),
})

/**
 * A network over what the encoder of another package sees in a view that a first network draws: a sound as a picture. Names are
 * fixed: the view's output `pixels` goes to the encoder, whose answer is the input `features` of the model; further outputs of
 * the view are inputs of the model by the same name.
 */
const onnxEncodedRuntime = z.strictObject({
  kind: z.literal('onnx-encoded'),
  view: relativePath,
  input: inputs,
  /** Id of a package whose runtime states `features`; its networks are held once for both. */
  encoder: packageName,
  model: relativePath,
  output: tensorName,
})

/** A server that computes, and the limits of one request. */
const serverFields = {
  url: z
    .url({ protocol: /^https?$/ })
    .refine(holdsNoCredentials, 'must hold no credentials; see ATTESTD_DETECTOR_TOKEN'),
  /** Longest time for one request, ms. */
  timeoutMs: z.int().min(10).max(600_000),
  /** Most bytes of one answer that are read. */
  maxReplyBytes: z
    .int()
    .min(64)
    .max(64 * 1024 * 1024)
    .default(1024 * 1024),
}

/** A model behind a server that speaks the Open Inference Protocol v2 (Triton, KServe, OpenVINO); `/v2/models/...` follows the URL. */
const remoteRuntime = z.strictObject({
  kind: z.literal('remote'),
  ...serverFields,
  model: z.string().regex(/^[A-Za-z0-9._-]{1,128}$/),
  modelVersion: z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,64}$/)
    .optional(),
  input: inputs,
  output: tensorName,
})

/** A server that reads the file itself: its bytes are posted to the URL as they are. */
const remoteFileRuntime = z.strictObject({ kind: z.literal('remote-file'), ...serverFields })

function holdsNoCredentials(url: string): boolean {
  return URL.canParse(url) && new URL(url).username === '' && new URL(url).password === ''
}

/** A JavaScript module in this package that reads and scores the file itself. */
const moduleRuntime = z.strictObject({ kind: z.literal('module'), module: relativePath })

/**
 * Other packages look and listen: frames go to an image detector, the sound track, if any, to an audio detector. With a `head`,
 * a network of this package judges what the encoder of `frames` sees: its input `features` [frames, n] holds the frames of a
 * clip or window in the order of time, its output `logit` [1] is their logit.
 */
const composedRuntime = z.strictObject({
  kind: z.literal('composed'),
  /** Id of a package for pictures; one that states `features` where there is a head. */
  frames: packageName,
  head: relativePath.optional(),
  audio: packageName.optional(),
})

/** What runs the model. */
export const runtimeSchema = z.discriminatedUnion('kind', [
  onnxRuntime,
  onnxViewsRuntime,
  onnxEncodedRuntime,
  remoteRuntime,
  remoteFileRuntime,
  moduleRuntime,
  composedRuntime,
])

/** `runtime` of kind `onnx`: one ONNX file, paths relative to the package's folder. */
export type OnnxRuntime = z.infer<typeof onnxRuntime>
/** `runtime` of kind `onnx-views`, which goes with preprocessing `image-views`: one logit for each view. */
export type OnnxViewsRuntime = z.infer<typeof onnxViewsRuntime>
/** `runtime` of kind `onnx-encoded`: two networks of the package, and between them the encoder of another one. */
export type OnnxEncodedRuntime = z.infer<typeof onnxEncodedRuntime>
/** `runtime` of kind `remote`; the bearer token is a setting and never stands in a manifest. */
export type RemoteRuntime = z.infer<typeof remoteRuntime>
/** `runtime` of kind `remote-file`, which goes with preprocessing `none`. */
export type RemoteFileRuntime = z.infer<typeof remoteFileRuntime>
/** `runtime` of kind `module`, which goes with preprocessing `none`: the module's code runs in the detector process. */
export type ModuleRuntime = z.infer<typeof moduleRuntime>
/** `runtime` of kind `composed`, for video: ids of the packages that look at the frames and listen to the sound, and its own head. */
export type ComposedRuntime = z.infer<typeof composedRuntime>

type Runtime = z.infer<typeof runtimeSchema>

/** Whether a model server, which its manifest names, computes. */
export const asksServer = (runtime: Runtime): runtime is RemoteRuntime | RemoteFileRuntime =>
  runtime.kind === 'remote' || runtime.kind === 'remote-file'

/** Whether the file goes as it is to what computes, so that there is no preprocessing. */
export const takesFile = ({ kind }: Runtime): boolean => kind === 'module' || kind === 'remote-file'
