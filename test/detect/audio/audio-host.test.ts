import path from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { packagePath } from '../../../src/core/files.js'
import type { DetectorHost } from '../../../src/detect/detection.js'
import { loudnessOf, TINY_GAIN, TINY_SOUND_BIAS, writeTinyAudioPackage } from '../../support/detector-audio.js'
import { DetectorBench } from '../../support/detector-bench.js'
import { inRow, whiteNoise } from '../../support/sounds.js'
import { speechLike } from '../../support/speech.js'
import { wavFile } from '../../support/wav-file.js'

const RATE = 16_000
const FIXTURES = packagePath('test', 'fixtures', 'audio')
const audio = (file: string) => ({ file, mediaType: 'audio' as const })

describe('a host with an audio detector', () => {
  const bench = DetectorBench.forAll()
  let host: DetectorHost

  beforeAll(async () => {
    await writeTinyAudioPackage(bench.modelsDir, {
      stabilityProbe: true,
      aggregation: 'max',
      // No width: inside a band nothing is probed.
      decisionBand: { low: 0.5, high: 0.5 },
    })
    host = await bench.start({ workers: 1 })
  })

  it('scores windows of the speech and names them by their time', async () => {
    const quiet = speechLike(2, RATE).map((sample) => sample / 4)
    const loud = speechLike(1.5, RATE)
    const silence = new Float32Array(RATE)
    const file = await bench.write('two.wav', wavFile(inRow(silence, quiet, loud, silence), { rate: RATE }))
    const detection = await host.detect(audio(file))
    expect(detection.notes).toMatch(/^wav 16 kHz mono 5\.5 s, 3\.\d s speech; 7 parts, logit .* highest 3\.\d-4\.\d s$/)
    expect(detection.parts[0]?.name).toMatch(/^3\.\d-4\.\d s$/)
    expect(detection.parts.map(({ name }) => name)).toContain('1.0-2.0 s')
    expect(detection.rawScore).toBeCloseTo(TINY_GAIN * loudnessOf(loud.subarray(0, RATE)) + TINY_SOUND_BIAS, 1)
  })

  it('probes whether a re-encoding changes the score', async () => {
    const file = await bench.write('probe.wav', wavFile(speechLike(2, RATE), { rate: RATE }))
    const { risk, variants } = await host.detect(audio(file))
    expect(variants.map(({ name }) => name)).toEqual([
      'upper tenth of the band cut',
      'half as loud, in 8-bit mu-law',
      'upper quarter of the band cut',
    ])
    // The tiny network knows loudness alone.
    expect(variants[0]?.risk).toBeCloseTo(risk, 2)
    expect(variants[1]?.risk).toBeLessThan(risk)
  })

  it.each(['speech.mp3', 'speech.flac', 'speech-vorbis.ogg', 'speech-opus.ogg'])(
    'returns the same bits again, after other files: %s',
    async (name) => {
      const file = path.join(FIXTURES, name)
      const noise = await bench.write('noise.wav', wavFile(whiteNoise(RATE, 0.2), { rate: RATE }))
      const first = await host.detect(audio(file))
      await expect(host.detect(audio(noise))).rejects.toMatchObject({ reason: 'media-without-speech' })
      const { elapsedMs: _, ...again } = await host.detect(audio(file))
      expect(first).toMatchObject(again)
    },
  )
})
