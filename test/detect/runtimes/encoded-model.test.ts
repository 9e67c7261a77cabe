import path from 'node:path'
import { InferenceSession } from 'onnxruntime-node'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { systemClock } from '../../../src/core/clock.js'
import { readAudio } from '../../../src/detect/audio/audio-reader.js'
import { loadChildDetector } from '../../../src/detect/child/load-child-detector.js'
import type { ChildDetector } from '../../../src/detect/contract/child-detector.js'
import type { Part } from '../../../src/detect/contract/medium-reader.js'
import type { Model } from '../../../src/detect/contract/model.js'
import type { DetectorManifest } from '../../../src/detect/package/manifest.js'
import { loadOrder, loadPackage } from '../../../src/detect/package/package-loader.js'
import type { AudioPreprocessing } from '../../../src/detect/package/preprocessing.js'
import type { OnnxEncodedRuntime } from '../../../src/detect/package/runtime.js'
import { loadEncodedModel } from '../../../src/detect/runtimes/encoded-model.js'
import { sigmoid } from '../../../src/detect/scoring/calibration.js'
import { loudnessOf } from '../../support/detector-audio.js'
import { DetectorBench } from '../../support/detector-bench.js'
import {
  ENCODER_RUNTIME,
  type EncodedOptions,
  encodedLogit,
  writeEncodedPackage,
  writeEncoderPackage,
} from '../../support/detector-encoded.js'
import { writeTinyPackage } from '../../support/detector-package.js'
import { speechLike } from '../../support/speech.js'
import { unwatched } from '../../support/unwatched-parsers.js'
import { wavFile } from '../../support/wav-file.js'
import { withReason } from '../../support/with-reason.js'

const RATE = 16_000
const TOOLS = { timeoutSeconds: 30, ffmpeg: null, clock: systemClock, parsers: unwatched }
/** Mean of the magnitudes 0.5: a picture of (0.25, -0.5, 1), whose features are (0.5, -1, 2). */
const SAMPLES = Float32Array.of(0.5, -0.25, 0.75, -0.5)
const BY_HAND = 2 * 0.5 + 1 * -1 - 1 * 2 + 12 * 0.5 - 0.5

const bench = DetectorBench.forEach()
beforeEach(async () => {
  await writeEncoderPackage(bench.modelsDir)
})

/** Loads a package and those that it uses into the process of the test, as a detector process does. */
async function open(id: string): Promise<ChildDetector> {
  const loaded = new Map<string, ChildDetector>()
  for (const pack of loadOrder([await loadPackage(path.join(bench.modelsDir, id))]))
    loaded.set(pack.manifest.id, await loadChildDetector(pack, TOOLS, loaded, null))
  return loaded.get(id) as ChildDetector
}

async function openModel(options?: EncodedOptions): Promise<Model> {
  const { encoder } = await open('tiny-encoder')
  const pack = await loadPackage(await writeEncodedPackage(bench.modelsDir, options))
  return loadEncodedModel(pack, pack.manifest.runtime as OnnxEncodedRuntime, encoder as Model)
}

const run = (model: Model) => model.run([{ type: 'float32', values: SAMPLES, shape: [1, SAMPLES.length] }])

describe('a model over the encoder of another package', () => {
  it('returns the logit of the features and of the other outputs of the view', async () => {
    const [logit, ...others] = await run(await openModel())
    expect(logit).toBeCloseTo(BY_HAND, 5)
    expect(encodedLogit(0.5)).toBe(BY_HAND)
    expect(others).toEqual([])
  })

  it.each<[string, EncodedOptions, RegExp]>([
    [
      'a model without features',
      { inputs: ['traits', 'loudness'] },
      /runtime\.model: model\.onnx takes no features, but .*traits/,
    ],
    [
      'an output that the model does not have',
      { runtime: { output: 'risk' } },
      /runtime\.output: model\.onnx gives no risk, but logit/,
    ],
    [
      'an input that the view does not have',
      { runtime: { input: 'waves' } },
      /runtime\.input: view\.onnx takes no waves, but samples/,
    ],
    [
      'a model that takes what the view does not give',
      { inputs: ['features', 'level'] },
      /runtime\.view: view\.onnx gives no level, but .*loudness/,
    ],
    ['a view without pixels', { pixels: 'picture' }, /runtime\.view: view\.onnx gives no pixels, but .*picture/],
  ])('refuses %s by name', async (_, options, message) => {
    await expect(openModel(options)).rejects.toThrow(withReason('manifest-invalid', message))
  })

  it('fails by name on a picture of a size that the encoder does not accept', async () => {
    const model = await openModel({ side: 32 })
    await expect(run(model)).rejects.toThrow(
      withReason('detector-failed', /^whole\.onnx of tiny-encoder failed: .*pixels.*Got: 32 Expected: 48/s),
    )
  })
})

describe('a package over the encoder of another', () => {
  let file: string
  beforeEach(async () => {
    file = await bench.write('speech.wav', wavFile(speechLike(1, RATE), { rate: RATE }))
  })

  /** What the package must give the file by hand: its one window is the speech without the silence around it. */
  async function byHand({ preprocessing }: DetectorManifest): Promise<number> {
    const [window, ...others] = (
      await readAudio(file, preprocessing as AudioPreprocessing, false, TOOLS)
    ).parts() as Iterable<Part>
    expect(others).toEqual([])
    return encodedLogit(loudnessOf(window?.inputs[0]?.values as Float32Array))
  }

  it('scores its kind of media by the features of the encoder', async () => {
    await writeEncodedPackage(bench.modelsDir)
    const { measure, pack } = await open('tiny-encoded')
    const { rawScore, notes } = await measure(file)
    expect(rawScore).toBeCloseTo(await byHand(pack.manifest), 5)
    expect(notes).toMatch(/^wav 16 kHz mono 1\.0 s, /)
  })

  it('holds the encoder once for both', async () => {
    await writeEncodedPackage(bench.modelsDir)
    const created = vi.spyOn(InferenceSession, 'create')
    onTestFinished(() => created.mockRestore())
    await open('tiny-encoded')
    expect(created).toHaveBeenCalledTimes(3)
  })

  it('is refused where the encoder returns no such features', async () => {
    await writeEncoderPackage(bench.modelsDir, { manifest: { runtime: { ...ENCODER_RUNTIME, features: 'traits' } } })
    await writeEncodedPackage(bench.modelsDir)
    await expect(open('tiny-encoded')).rejects.toThrow(
      withReason('manifest-invalid', /tiny-encoder .*runtime\.features: whole\.onnx gives no traits, but .*features/s),
    )
  })

  it('runs in a detector process, next to others', async () => {
    await writeTinyPackage(bench.modelsDir)
    const { manifest } = await loadPackage(await writeEncodedPackage(bench.modelsDir))
    const host = await bench.start()
    const { detectorId, risk } = await host.detect({ file, mediaType: 'audio' })
    expect(detectorId).toBe('tiny-encoded')
    expect(risk).toBeCloseTo(sigmoid(await byHand(manifest)), 5)
  })

  it('does not start on another encoder than the one it was made with', async () => {
    await writeEncoderPackage(bench.modelsDir, { scale: -2 })
    await writeEncodedPackage(bench.modelsDir)
    await expect(bench.start({ detectors: [{ id: 'tiny-encoded' }] })).rejects.toThrow(
      withReason('detector-self-test-failed', 'tiny-encoded scored its own sample'),
    )
  })
})
