import { execFile } from 'node:child_process'
import fs from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { packagePath } from '../../../src/core/files.js'
import type { DetectorHost } from '../../../src/detect/detection.js'
import { manifestDigest } from '../../../src/detect/package/manifest.js'
import { sigmoid } from '../../../src/detect/scoring/calibration.js'
import { DetectorBench, hasProc, isRunning } from '../../support/detector-bench.js'
import { mp3, noise, plain, twoFrames } from '../../support/detector-images.js'
import { TINY_BIAS, TINY_WEIGHTS, tinyLogit, writeTinyPackage } from '../../support/detector-package.js'
import { tinyOnnx } from '../../support/detector-tiny-onnx.js'
import { ManualClock } from '../../support/manual-clock.js'
import { writeModulePackage } from '../../support/other-packages.js'
import { withReason } from '../../support/with-reason.js'

const image = (file: string) => ({ file, mediaType: 'image' as const })

describe('a host with two processes', () => {
  const bench = DetectorBench.forAll()
  let host: DetectorHost
  const clock = new ManualClock()

  beforeAll(async () => {
    await writeTinyPackage(bench.modelsDir)
    process.env.ATTESTD_SIGNING_SECRET = 'must-not-be-inherited'
    host = await bench.start({ workers: 2, clock })
    delete process.env.ATTESTD_SIGNING_SECRET
  })

  it('is ready with all processes and knows its detector', async () => {
    expect(host.state()).toEqual({
      ready: 2,
      busy: 0,
      size: 2,
      waiting: 0,
      lastInferenceAgoMs: 0,
      timeoutMs: 30_000,
      unreachable: [],
      caged: false,
    })
    const text = await fs.readFile(path.join(bench.modelsDir, 'tiny-image', 'detector.json'))
    expect(host.detectorFor('image')).toMatchObject({ id: 'tiny-image', digest: manifestDigest(text) })
    expect(host.detectors).toHaveLength(1)
    expect(host.detectorFor('audio')).toBeNull()
  })

  it('returns the score that the network must give', async () => {
    const color = { r: 60, g: 120, b: 180 }
    const file = await bench.write('plain.png', await plain(color).png().toBuffer())
    const detection = await host.detect(image(file))
    expect(detection.rawScore).toBeCloseTo(tinyLogit(color), 4)
    expect(detection).toMatchObject({
      detectorId: 'tiny-image',
      detectorVersion: '1.0.0',
      detectorDigest: host.detectors[0]?.digest,
      risk: sigmoid(detection.rawScore),
      unsure: false,
      notes: expect.stringMatching(/^png 120x80; 5 parts, logit -?\d+\.\d\d to -?\d+\.\d\d, highest/),
    })
    expect(detection.elapsedMs.decode).toBeGreaterThan(0)
    expect(detection.elapsedMs.infer).toBeGreaterThan(0)
  })

  it('refuses a kind of media without a detector', async () => {
    const file = await bench.write('sound.mp3', mp3())
    await expect(host.detect({ file, mediaType: 'audio' })).rejects.toMatchObject({ reason: 'detector-none' })
  })

  it.each([
    ['mislabelled', async () => mp3(), 'media-type-mismatch'],
    ['truncated', async () => (await noise().jpeg().toBuffer()).subarray(0, 2000), 'media-corrupt'],
  ])('a bad file fails by name and costs no process: %s', async (name, make, reason) => {
    const file = await bench.write(name, await make())
    const stops = bench.all('child-stopped').length
    await expect(host.detect(image(file))).rejects.toMatchObject({ reason })
    expect(bench.all('child-stopped')).toHaveLength(stops)
  })

  it('a missing file is fetched again, and not reported as corrupt', async () => {
    const gone = path.join(bench.folder, 'gone.jpg')
    await expect(host.detect(image(gone))).rejects.toMatchObject({ reason: 'media-cache-failed' })
  })

  it('names the frames of an animation in its notes', async () => {
    const file = await bench.write('two.gif', await twoFrames().gif().toBuffer())
    expect((await host.detect(image(file))).notes).toMatch(/^gif 64x64, first of 2 frames;/)
  })

  it('returns the same bits whatever the process, the neighbor and the order', async () => {
    const files = await Promise.all(
      [0, 1, 2, 3, 4, 5].map(async (index) => {
        const picture = noise(200 + 37 * index, 150 + 11 * index)
        const format = (['jpeg', 'webp', 'png'] as const)[index % 3] as 'jpeg'
        return bench.write(`same-${index}.${format}`, await picture.toFormat(format).toBuffer())
      }),
    )
    const scores = async (list: string[]) => {
      const found = await Promise.all(
        list.map(async (file) => [file, (await host.detect(image(file))).rawScore] as const),
      )
      return Object.fromEntries(found)
    }
    const inTurn: Record<string, number> = {}
    for (const file of files) Object.assign(inTurn, await scores([file]))
    expect(new Set(Object.values(inTurn)).size).toBe(files.length)
    const usedBefore = bench.all('job-started').length
    for (let round = 0; round < 3; round++) expect(await scores(files.toReversed())).toEqual(inTurn)
    const used = bench.all('job-started').slice(usedBefore)
    expect(new Set(used.map(({ pid }) => pid)).size).toBe(2)
  })

  it('keeps its last inference recent by the probe', async () => {
    clock.tick(90_000)
    expect(host.state().lastInferenceAgoMs).toBe(90_000)
    await host.probe()
    expect(host.state().lastInferenceAgoMs).toBe(0)
  })

  it('reports the age of its last inference independently of the wall clock', async () => {
    await host.probe()
    clock.stepWall(-3_600_000)
    clock.tick(70_000)
    expect(host.state().lastInferenceAgoMs).toBe(70_000)
  })

  it.skipIf(!hasProc)(
    'passes nothing of its environment to its processes, except how Node and the allocator run',
    async () => {
      for (const { pid } of bench.all('child-started')) {
        const environment = (await fs.readFile(`/proc/${pid}/environ`, 'utf8')).split('\0').filter(Boolean)
        expect(environment.map((entry) => entry.split('=')[0])).toEqual(
          environment.map(() => expect.stringMatching(/^(NODE_CHANNEL|MALLOC)_/)),
        )
      }
    },
  )

  it('has processes that survive the signals to the whole group', async () => {
    const pids = bench.all('child-started').map(({ pid }) => pid)
    for (const pid of pids) for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.kill(pid, signal)
    await host.probe()
    await host.probe()
    expect(await Promise.all(pids.map(isRunning))).toEqual([true, true])
  })
})

describe('a host for one kind of media', () => {
  it('loads no package of another kind, and still scores its own', async () => {
    const bench = await DetectorBench.forTest()
    await writeTinyPackage(bench.modelsDir)
    await writeModulePackage(bench.modelsDir, { 'main.mjs': "throw new Error('was loaded')" })
    await expect(bench.start()).rejects.toThrow('was loaded')
    const host = await bench.start({ mediaType: 'image' })
    expect(host.detectors.map(({ id }) => id)).toEqual(['tiny-image'])
    const file = await bench.write('plain.png', await plain('#369').png().toBuffer())
    expect(await host.detect(image(file))).toMatchObject({ detectorId: 'tiny-image' })
  })
})

describe('decoding and inference stay out of the main process', () => {
  it('the host loads neither sharp nor the ONNX runtime', async () => {
    const entry = packagePath('dist', 'detect', 'host', 'create-detector-host.js')
    const script = `await import(${JSON.stringify(entry)})
      const { createRequire } = await import('node:module')
      console.log(Object.keys(createRequire(import.meta.url).cache).concat(process.report.getReport().sharedObjects).join('\\n'))`
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script])
    expect(stdout).toContain('libc')
    expect(stdout).not.toMatch(/sharp|vips|onnx/)
  })
})

describe('a package that contradicts its manifest', () => {
  const bench = DetectorBench.forAll()

  it.each([
    [
      'another risk on its own sample',
      { manifest: { selfTest: { file: 'selftest.png', risk: 0.5, tolerance: 0.02 } } },
      'detector-self-test-failed',
      /scored its own sample selftest.png with a risk of 0\.99\d\d; its manifest states 0.5 ± 0.02/,
    ],
    [
      'a sample that cannot be read',
      { manifest: { selfTest: { file: 'model.onnx', risk: 0.5, tolerance: 0.02 } } },
      'detector-self-test-failed',
      /could not score its own sample/,
    ],
    ['a model that is none', { model: Buffer.from('not a model') }, 'manifest-invalid', /cannot be loaded/],
    [
      'another input name',
      { manifest: { runtime: { kind: 'onnx', model: 'model.onnx', input: 'image', output: 'logit' } } },
      'manifest-invalid',
      /runtime.input: model.onnx takes no image, but pixels/,
    ],
    [
      'two outputs',
      { model: tinyOnnx(TINY_WEIGHTS, TINY_BIAS, 2) },
      'manifest-invalid',
      /outputKind: expects an output of width 1, the model returns 2/,
    ],
    ['a model that gives no number', { model: tinyOnnx([Number.NaN, 0, 0], 0) }, 'detector-self-test-failed', /NaN/],
    [
      'a logit called a probability',
      { manifest: { outputKind: 'probability' } },
      'detector-self-test-failed',
      /not a probability/,
    ],
  ])('%s', async (_, spoilt, reason, message) => {
    await fs.rm(path.join(bench.modelsDir, 'tiny-image'), { recursive: true, force: true })
    await writeTinyPackage(bench.modelsDir, spoilt)
    await expect(bench.start({ workers: 2 })).rejects.toMatchObject({
      reason,
      message: expect.stringMatching(message),
      kind: 'setup',
    })
    expect(bench.all('child-start-failed').at(-1)).toEqual({ type: 'child-start-failed', reason })
  })

  it.skipIf(!hasProc)('a memory cap below what a process needs at rest', async () => {
    await fs.rm(path.join(bench.modelsDir, 'tiny-image'), { recursive: true, force: true })
    await writeTinyPackage(bench.modelsDir)
    await expect(bench.start({ memoryMb: 64, clock: new ManualClock() })).rejects.toThrow(
      withReason('setting-invalid', /ATTESTD_DETECTOR_MEMORY_MB is 64, but a detector process uses \d+ MiB/),
    )
  })
})
