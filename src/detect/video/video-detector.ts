import type { Clock } from '../../core/clock.js'
import { AttestdError } from '../../core/errors.js'
import type { ChildDetector } from '../contract/child-detector.js'
import { highestParts, type Measurement, type ScoredPart } from '../contract/measurement.js'
import type { ReaderTools } from '../contract/medium-reader.js'
import type { DetectorPackage } from '../package/package-loader.js'
import type { ComposedRuntime } from '../package/runtime.js'
import { calibrate, logitOf } from '../scoring/calibration.js'
import { type ClipScore, scoreClip, windowName } from './clip-score.js'
import { scoreFrames } from './frame-scores.js'
import { readFrames, type VideoFrames } from './read-frames.js'
import { type SoundScore, scoreSound } from './sound-score.js'

/**
 * A detector of video that is composed of others: frames go to an image detector, the sound track, if any, to an audio
 * detector. Their logits meet after the calibration of each, and the package's own calibration is applied to the result.
 * @param loaded the detectors of this process by id, those it names among them
 * @throws AttestdError manifest-invalid, model-digest-mismatch
 */
export async function loadVideoDetector(
  pack: DetectorPackage,
  { frames, audio }: ComposedRuntime,
  tools: ReaderTools,
  loaded: ReadonlyMap<string, ChildDetector>,
): Promise<ChildDetector> {
  const { manifest } = pack
  const { preprocessing } = manifest
  if (preprocessing.kind !== 'video') throw new AttestdError('internal-error', `${manifest.id} does not read video.`)
  const images = loaded.get(frames)
  const scorePicture = images?.scorePicture
  if (images === undefined || scorePicture === undefined) throw unusable(manifest.id, frames)
  const sound = audio === undefined ? null : loaded.get(audio)
  if (sound === undefined) throw unusable(manifest.id, audio as string)
  const imageLogit = (rawScore: number) => logitOf(calibrate(rawScore, images.pack.manifest.calibration))

  return {
    pack,
    async measure(file): Promise<Measurement> {
      const started = tools.clock.monotonic()
      const video = await readFrames(file, preprocessing.maxFrames, tools)
      const watch = new InferWatch(tools.clock)
      const during: InferWatch['during'] = (work) => watch.during(work)
      const frameScores = await scoreFrames(video.frames(), scorePicture, during).finally(() => video.close())
      const clip = scoreClip(frameScores, preprocessing.windowSeconds)
      const hasSound = video.facts?.hasSound ?? false
      const soundNote = sound !== null && hasSound ? await watch.during(() => scoreSound(sound, file)) : null
      const pictures = imageLogit(clip.rawScore)
      const parts = clip.parts.map(({ name, rawScore }): ScoredPart => ({ name, rawScore: imageLogit(rawScore) }))
      if (soundNote !== null && soundNote.logit !== null) parts.push({ name: 'sound', rawScore: soundNote.logit })
      return {
        rawScore: Math.max(pictures, soundNote?.logit ?? pictures),
        notes: notesOf(video, frameScores.length, clip, soundNote),
        length: video.facts?.seconds,
        parts: highestParts(parts),
        variants: [],
        evidence: [],
        elapsedMs: { decode: tools.clock.monotonic() - started - watch.ms, infer: watch.ms },
      }
    },
  }
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

function unusable(id: string, named: string): AttestdError {
  return new AttestdError('manifest-invalid', `${id}: ${named} cannot be used, it is not loaded or scores no frames.`)
}

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
