import { AttestdError, isAbstention } from '../../core/errors.js'
import type { ChildDetector } from '../contract/child-detector.js'
import { highestParts, type Measurement, type ScoredPart } from '../contract/measurement.js'
import type { ReaderTools } from '../contract/medium-reader.js'
import type { Picture } from '../contract/picture.js'
import { piece } from '../image/picture.js'
import type { DetectorPackage } from '../package/package-loader.js'
import type { VideoPreprocessing } from '../package/preprocessing.js'
import type { ComposedRuntime } from '../package/runtime.js'
import { loadFeatureHead } from '../runtimes/feature-head.js'
import { calibrate, logitOf } from '../scoring/calibration.js'
import { isVerdictReal } from '../scoring/probe.js'
import { type ClipScore, scoreClip, windowName } from './clip-score.js'
import { scoreClipByHead } from './head-score.js'
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
  preprocessing: VideoPreprocessing,
  tools: ReaderTools,
  loaded: ReadonlyMap<string, ChildDetector>,
): Promise<ChildDetector> {
  const { audio } = runtime
  const judge = await pictureJudge(pack, runtime, loaded)
  const sound = audio === undefined ? null : loaded.get(audio)
  if (sound === undefined) throw unusable(pack.manifest.id, audio as string)

  return {
    pack,
    async measure(file, share = null): Promise<Measurement> {
      const started = tools.clock.monotonic()
      const video = await readFrames(file, preprocessing.maxFrames, tools)
      let inferMs = 0
      // Inference takes turns with decoding.
      const during: During = async (work) => {
        const began = tools.clock.monotonic()
        try {
          return await work()
        } finally {
          inferMs += tools.clock.monotonic() - began
        }
      }
      const { clip, frames } = await judge(video, preprocessing, during).finally(() => video.close())
      const soundNote = sound !== null && video.hasSound ? await during(() => scoreSound(sound, file)) : null
      const parts: ScoredPart[] = [...clip.parts]
      if (soundNote !== null && soundNote.logit !== null) parts.push({ name: 'sound', rawScore: soundNote.logit })
      const rawScore = Math.max(clip.rawScore, soundNote?.logit ?? clip.rawScore)
      const length = video.facts?.seconds
      const isReal = isVerdictReal(calibrate(rawScore, pack.manifest.calibration, length), share, pack.manifest)
      const spots = isReal ? await spotCheck(video, (pictures) => judge(pictures, preprocessing, during)) : null
      return {
        rawScore,
        notes: notesOf(video, frames, clip, soundNote),
        length,
        parts: highestParts(parts),
        variants: spots === null ? [] : [{ name: SPOT_CHECK, rawScore: spots }],
        elapsedMs: { decode: tools.clock.monotonic() - started - inferMs, infer: inferMs },
      }
    },
  }
}

/** As it ends `risk ... as`. */
const SPOT_CHECK = 'shown between the frames looked at first'

/** The logit of pictures from elsewhere in the video; null where it has none that can be judged. */
async function spotCheck(
  { spotCheck: frames }: VideoFrames,
  judge: (pictures: Pick<VideoFrames, 'frames'>) => Promise<{ readonly clip: ClipScore }>,
): Promise<number | null> {
  if (frames === undefined) return null
  try {
    return (await judge({ frames })).clip.rawScore
  } catch (error) {
    if (isAbstention(error)) return null
    throw error
  }
}

/** Counts the time of some work as that of inference. */
type During = <T>(work: () => Promise<T>) => Promise<T>

/** The pictures of a video as one logit, and how many frames were seen. */
type PictureJudge = (
  video: Pick<VideoFrames, 'frames'>,
  plan: VideoPreprocessing,
  during: During,
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
    const head = await loadFeatureHead(pack, headFile)
    return async (video, plan, during) => {
      const look = async (picture: Picture) => ({ features: await describePicture(await inner(picture, plan.border)) })
      const frames = await seeFrames(video.frames(), look, during)
      return { clip: await during(() => scoreClipByHead(frames, head, plan)), frames: frames.length }
    }
  }
  if (images === undefined || scorePicture === undefined) throw unusable(pack.manifest.id, named)
  const logitOfPicture = (rawScore: number) => logitOf(calibrate(rawScore, images.pack.manifest.calibration))
  return async (video, plan, during) => {
    const look = async (picture: Picture) => ({ rawScore: await scorePicture(picture) })
    const frames = await seeFrames(video.frames(), look, during)
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

const unusable = (id: string, named: string): AttestdError =>
  new AttestdError('manifest-invalid', `${id}: ${named} cannot be used, it is not loaded or scores no frames.`)

function notesOf({ format, facts }: VideoFrames, frames: number, clip: ClipScore, sound: SoundScore | null): string {
  const soundNote = sound === null ? '' : `; ${sound.summary}`
  return `${format} ${describe(facts)}${frames} frames; worst ${windowName(clip.worst)}${soundNote}`
}

function describe(facts: VideoFrames['facts']): string {
  if (facts === null) return ''
  const turned = facts.rotation % 180 === 90
  const [width, height] = turned ? [facts.height, facts.width] : [facts.width, facts.height]
  const rate = facts.hasVariableRate ? 'variable rate' : `${Math.round(facts.framesPerSecond)} fps`
  return `${facts.codec} ${width}x${height} ${facts.seconds.toFixed(1)} s, ${rate}; `
}
