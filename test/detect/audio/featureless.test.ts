import { expect, it } from 'vitest'
import { refuseFeatureless } from '../../../src/detect/audio/featureless.js'
import { findVoice } from '../../../src/detect/audio/voice-activity.js'
import { inRow, mixed, sine, whiteNoise } from '../../support/sounds.js'
import { speechLike } from '../../support/speech.js'
import { withReason } from '../../support/with-reason.js'

const RATE = 16_000
const SECONDS = 2
const silence = (seconds = SECONDS) => new Float32Array(seconds * RATE)
const hum = mixed(sine(50, RATE, SECONDS, 0.1), sine(100, RATE, SECONDS, 0.05), sine(150, RATE, SECONDS, 0.02))
const fadeIn = (sound: Float32Array) => sound.map((sample, index) => (sample * index) / sound.length)
const dither = whiteNoise(SECONDS * RATE, 1 / 32_768)

it.each([
  ['digital silence', silence()],
  ['dithered silence', dither],
  ['a constant offset', silence().fill(0.3)],
  ['a dithered offset', dither.map((sample) => sample + 0.3)],
  ['a click in silence', inRow(silence(1), Float32Array.of(0.9, -0.7, 0.4), silence(1))],
  ['faint hiss', whiteNoise(SECONDS * RATE, 0.003)],
  ['loud hiss', whiteNoise(SECONDS * RATE, 0.3)],
  ['hum', hum],
  ['hum that fades in', fadeIn(hum)],
  ['hiss that fades in', fadeIn(whiteNoise(SECONDS * RATE, 0.1))],
  ['a click in hum', mixed(hum, inRow(silence(1), Float32Array.of(0.9), silence(0.5)))],
  ['a bare tone', sine(440, RATE, SECONDS, 0.3)],
  [
    'a tone that comes and goes',
    inRow(sine(1000, RATE, 0.4, 0.3), silence(0.5), sine(1000, RATE, 0.4, 0.3), silence(0.5)),
  ],
])('finds nothing to judge in %s', (_, sound) => {
  expect(() => refuseFeatureless(sound, RATE)).toThrow(withReason('media-featureless'))
})

it.each([
  ['speech', speechLike(SECONDS, RATE)],
  ['speech with an offset', speechLike(SECONDS, RATE).map((sample) => sample / 2 + 0.3)],
  ['soft speech', speechLike(SECONDS, RATE).map((sample) => sample / 30)],
])('lets %s pass', (_, sound) => {
  expect(() => refuseFeatureless(sound, RATE)).not.toThrow()
})

it('considers only the speech where it is known, so that long hum around it does not hide it', () => {
  const soft = hum.map((sample) => sample / 30)
  const around = Array.from({ length: 6 }, () => soft)
  const sound = inRow(...around, speechLike(3, RATE), ...around)
  expect(() => refuseFeatureless(sound, RATE)).toThrow()
  expect(() => refuseFeatureless(sound, RATE, findVoice(sound, RATE))).not.toThrow()
})
