import type { Clock } from '../../core/clock.js'
import { AttestdError } from '../../core/errors.js'
import type { ChildDetector } from '../contract/child-detector.js'
import type { MediumReader, ReaderTools } from '../contract/medium-reader.js'
import type { Model } from '../contract/model.js'
import type { DetectorManifest } from '../package/manifest.js'
import type { DetectorPackage } from '../package/package-loader.js'
import { AUDIO_MASK } from '../package/preprocessing.js'
import type { OnnxEncodedRuntime, OnnxRuntime, RemoteRuntime } from '../package/runtime.js'
import { loadEncodedModel } from '../runtimes/encoded-model.js'
import { loadModuleDetector } from '../runtimes/module-detector.js'
import { loadOnnxModel } from '../runtimes/onnx-model.js'
import { outputWidth } from '../scoring/aggregation.js'
import { createPartsDetector } from './parts-detector.js'

/**
 * Loads a package into this process; further kinds of preprocessing and runtime are chosen here.
 * @param loaded detectors of this process by id, for a package whose parts are scored by others
 * @param remoteToken for the model servers of remote detectors; null where there is none
 */
export async function loadChildDetector(
  pack: DetectorPackage,
  tools: ReaderTools,
  loaded: ReadonlyMap<string, ChildDetector>,
  remoteToken: string | null,
): Promise<ChildDetector> {
  const { preprocessing, runtime, id } = pack.manifest
  const reader = await openReader(pack, tools)
  if (reader !== undefined && isOneModel(runtime)) {
    return createPartsDetector(pack, reader, await openModel(pack, runtime, tools.clock, loaded, remoteToken), tools)
  }
  if (runtime.kind === 'onnx-views') {
    const { loadViewsDetector } = await import('../image/views-detector.js')
    return loadViewsDetector(pack, runtime, tools)
  }
  if (runtime.kind === 'module') return loadModuleDetector(pack, runtime, tools.clock)
  if (runtime.kind === 'remote-file') {
    const { createRemoteFileDetector } = await import('../runtimes/remote-file-detector.js')
    return createRemoteFileDetector(pack, runtime, { clock: tools.clock, token: remoteToken })
  }
  if (runtime.kind === 'composed' && preprocessing.kind === 'video') {
    const { loadVideoDetector } = await import('../video/video-detector.js')
    return loadVideoDetector(pack, runtime, preprocessing, tools, loaded)
  }
  throw new AttestdError('manifest-invalid', `${id}: ${preprocessing.kind} with ${runtime.kind} cannot be run.`)
}

/** The kinds of runtime that are one model to the reader of media. */
type ModelRuntime = OnnxRuntime | OnnxEncodedRuntime | RemoteRuntime

const isOneModel = (runtime: DetectorManifest['runtime']): runtime is ModelRuntime =>
  runtime.kind === 'onnx' || runtime.kind === 'onnx-encoded' || runtime.kind === 'remote'

async function openModel(
  pack: DetectorPackage,
  runtime: ModelRuntime,
  clock: Clock,
  loaded: ReadonlyMap<string, ChildDetector>,
  token: string | null,
): Promise<Model> {
  if (runtime.kind === 'onnx') return loadOnnxModel(pack, runtime)
  if (runtime.kind === 'onnx-encoded') {
    const encoder = loaded.get(runtime.encoder)?.encoder
    if (encoder === undefined)
      throw new AttestdError('internal-error', `${pack.manifest.id}: its encoder ${runtime.encoder} is not loaded.`)
    return loadEncodedModel(pack, runtime, encoder)
  }
  // Loaded only where a package needs it: the client of model servers takes as much memory as a small model.
  const { createRemoteModel } = await import('../runtimes/remote-model.js')
  return createRemoteModel(runtime, { id: pack.manifest.id, width: outputWidth(pack.manifest), clock, token })
}

/**
 * How a package's files are opened; undefined where they are not read in parts. Only the code of the media that its packages
 * judge is loaded into a process, which is ready sooner without the rest.
 */
async function openReader(pack: DetectorPackage, tools: ReaderTools): Promise<MediumReader | undefined> {
  const { preprocessing, runtime } = pack.manifest
  if (preprocessing.kind === 'image') {
    const { readImage } = await import('../image/image-reader.js')
    return (file) => readImage(file, preprocessing, tools)
  }
  if (preprocessing.kind === 'audio') {
    const { readAudio } = await import('../audio/audio-reader.js')
    const isMasked = 'input' in runtime && runtime.input[1] === AUDIO_MASK
    return (file) => readAudio(file, preprocessing, isMasked, tools)
  }
  if (preprocessing.kind !== 'text') return undefined
  const [{ readText }, { textFeaturesOf }] = await Promise.all([
    import('../text/text-reader.js'),
    import('../text/text-features.js'),
  ])
  const features = await textFeaturesOf(pack, preprocessing)
  return (file) => readText(file, preprocessing, features)
}
