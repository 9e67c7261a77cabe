import type { Clock } from '../../core/clock.js'
import { AttestdError } from '../../core/errors.js'
import type { ChildDetector } from '../contract/child-detector.js'
import { highestParts, type Measurement, type ScoredPart } from '../contract/measurement.js'
import type { ReaderTools } from '../contract/medium-reader.js'
import type { Picture } from '../contract/picture.js'
import { piece } from '../image/picture.js'
import type { DetectorPackage } from '../package/package-loader.js'
import type { VideoPreprocessing } from '../package/preprocessing.js'
import type { ComposedRuntime } from '../package/runtime.js'
import { calibrate, logitOf } from '../scoring/calibration.js'
import { type ClipScore, scoreClip, windowName } from './clip-score.js'
import { loadVideoHead, scoreClipByHead } from './head-score.js'
import { readFrames, type VideoFrames } from './read-frames.js'
import { seeFrames } from './see-frames.js'
import { type SoundScore, scoreSound } from './sound-score.js'

/**
 * A detector of video that is composed of others: frames go to an image detector, the sound track, if any, to an audio
 * detector. Their logits meet after the calibration of each, and the package's own calibration is applied to the result.
 * @param loaded the detectors of this process by id, those it names among them
 * @throws AttestdError manifest-invalid, model-digest-mismatch
 */
export async function loadVideoDetector(
  pack: DetectorPackage,
  runtime: ComposedRuntime,
  tools: ReaderTools,
  loaded: ReadonlyMap<string, ChildDetector>,
): Promise<ChildDetector> {
  const { manifest } = pack
  const { preprocessing } = manifest
  if (preprocessing.kind !== 'video') throw new AttestdError('internal-error', `${manifest.id} does not read video.`)
  const { audio } = runtime
  const judge = await pictureJudge(pack, runtime, loaded)
  const sound = audio === undefined ? null : loaded.get(audio)
  if (sound === undefined) throw unusable(manifest.id, audio as string)

  return {
    pack,
    async measure(file): Promise<Measurement> {
      const started = tools.clock.monotonic()
      const video = await readFrames(file, preprocessing.maxFrames, tools)
      const watch = new InferWatch(tools.clock)
      const during: InferWatch['during'] = (work) => watch.during(work)
      const { clip, frames } = await judge(video, preprocessing, during).finally(() => video.close())
      const hasSound = video.facts?.hasSound ?? false
      const soundNote = sound !== null && hasSound ? await watch.during(() => scoreSound(sound, file)) : null
      const parts: ScoredPart[] = [...clip.parts]
      if (soundNote !== null && soundNote.logit !== null) parts.push({ name: 'sound', rawScore: soundNote.logit })
      return {
        rawScore: Math.max(clip.rawScore, soundNote?.logit ?? clip.rawScore),
        notes: notesOf(video, frames, clip, soundNote),
        length: video.facts?.seconds,
        parts: highestParts(parts),
        variants: [],
        elapsedMs: { decode: tools.clock.monotonic() - started - watch.ms, infer: watch.ms },
      }
    },
  }
}

/** The pictures of a video as one logit, and how many frames were seen. */
type PictureJudge = (
  video: VideoFrames,
  plan: VideoPreprocessing,
  during: InferWatch['during'],
) => Promise<{ readonly clip: ClipScore; readonly frames: number }>

/** By the head of the package where it has one, else by what the image detector states of each frame, calibrated as it states. */
async function pictureJudge(
  pack: DetectorPackage,
  { frames: named, head: headFile }: ComposedRuntime,
  loaded: ReadonlyMap<string, ChildDetector>,
): Promise<PictureJudge> {
  const images = loaded.get(named)
  const { scorePicture, describePicture } = images ?? {}
  if (headFile !== undefined) {
    if (describePicture === undefined) throw unusable(pack.manifest.id, named)
    const head = await loadVideoHead(pack, headFile)
    return async (video, plan, during) => {
      const look = async (picture: Picture) => ({ features: await describePicture(await inner(picture, plan.border)) })
      const frames = await seeFrames(video.frames(), look, during)
      return { clip: await during(() => scoreClipByHead(frames, head, plan)), frames: frames.length }
    }
  }
  if (images === undefined || scorePicture === undefined) throw unusable(pack.manifest.id, named)
  const logitOfPicture = (rawScore: number) => logitOf(calibrate(rawScore, images.pack.manifest.calibration))
  return async (video, plan, during) => {
    const frames = await seeFrames(video.frames(), scorePicture, during)
    const clip = scoreClip(frames, plan.windowSeconds)
    const parts = clip.parts.map(({ name, rawScore }) => ({ name, rawScore: logitOfPicture(rawScore) }))
    return { clip: { ...clip, parts, rawScore: logitOfPicture(clip.rawScore) }, frames: frames.length }
  }
}

/** A frame without a share of each side. */
function inner(picture: Picture, border: number): Promise<Picture> | Picture {
  if (border === 0) return picture
  const [left, top] = [Math.round(picture.width * border), Math.round(picture.height * border)]
  return piece(picture, { left, top, width: picture.width - 2 * left, height: picture.height - 2 * top })
}

/** Adds up the time of inference, which takes turns with decoding. */
class InferWatch {
  ms = 0

  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  async during<T>(work: () => Promise<T>): Promise<T> {
    const started = this.#clock.monotonic()
    try {
      return await work()
    } finally {
      this.ms += this.#clock.monotonic() - started
    }
  }
}

const unusable = (id: string, named: string): AttestdError =>
  new AttestdError('manifest-invalid', `${id}: ${named} cannot be used, it is not loaded or scores no frames.`)

function notesOf({ format, facts }: VideoFrames, frames: number, clip: ClipScore, sound: SoundScore | null): string {
  const faces = clip.tracks === 0 ? '' : `, ${clip.tracks} face${clip.tracks > 1 ? 's' : ''} followed`
  const soundNote = sound === null ? '' : `; ${sound.summary}`
  return `${format} ${describe(facts)}${frames} frames${faces}; worst ${windowName(clip.worst)}${soundNote}`
}

function describe(facts: VideoFrames['facts']): string {
  if (facts === null) return ''
  const turned = facts.rotation % 180 === 90
  const [width, height] = turned ? [facts.height, facts.width] : [facts.width, facts.height]
  const rate = facts.hasVariableRate ? 'variable rate' : `${Math.round(facts.framesPerSecond)} fps`
  return `${facts.codec} ${width}x${height} ${facts.seconds.toFixed(1)} s, ${rate}; `
}
