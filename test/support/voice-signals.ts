import { inRow, mixed, whiteNoise } from './sounds.js'
import { speechLike } from './speech.js'

const RATE = 16_000
const silence = (seconds: number) => new Float32Array(seconds * RATE)

/** Sounds at 16 kHz for which test/vectors/voice-activity.json holds the frames of speech; part of the vectors, so never changed alone. */
export const VOICE_SIGNALS: Record<string, () => Float32Array> = {
  'speech between silence': () => inRow(silence(1), speechLike(2, RATE), silence(1)),
  'speech in hiss': () =>
    mixed(inRow(speechLike(2, RATE), silence(1), speechLike(3, RATE)), whiteNoise(6 * RATE, 0.01)),
  'soft and loud speech': () =>
    inRow(
      speechLike(2, RATE).map((sample) => sample / 20),
      silence(0.5),
      speechLike(2, RATE),
    ),
  'speech fading out': () => speechLike(5, RATE).map((sample, index) => sample * Math.exp(-index / RATE)),
  'a word': () => inRow(silence(1), speechLike(0.22, RATE), silence(1)),
  'tightly cut speech': () => speechLike(0.6, RATE),
  hiss: () => whiteNoise(2 * RATE, 0.1),
}
