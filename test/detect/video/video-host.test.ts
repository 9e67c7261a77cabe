import fs from 'node:fs/promises'
import path from 'node:path'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { packagePath } from '../../../src/core/files.js'
import type { DetectorHost } from '../../../src/detect/detection.js'
import { DetectorBench } from '../../support/detector-bench.js'
import { writeEncoderPackage } from '../../support/detector-encoded.js'
import { writePackage, writeTinyPackage } from '../../support/detector-package.js'
import { tinyHeadOnnx } from '../../support/detector-tiny-onnx.js'
import { endlessContainers } from '../../support/endless-containers.js'
import { ffmpeg, make } from '../../support/ffmpeg-tool.js'
import { ManualClock } from '../../support/manual-clock.js'
import { withReason } from '../../support/with-reason.js'

const fixture = (name: string) => packagePath('test', 'fixtures', 'video', name)
const clip = (name: string) => ({ file: fixture(name), mediaType: 'video_short' as const })

/** A package that sends frames to the tiny image package; four quarters of red, green, blue and white are about 0.3. */
async function writeTinyVideo(
  modelsDir: string,
  fields: Record<string, unknown> = {},
  files: Record<string, Buffer> = {},
): Promise<void> {
  await writePackage(
    modelsDir,
    'tiny-video',
    { 'sample.webm': await fs.readFile(fixture('vp8.webm')), ...files },
    {
      title: 'Frames by the tiny network',
      mediaTypes: ['video_short', 'video_long'],
      runtime: { kind: 'composed', frames: 'tiny-image' },
      preprocessing: { kind: 'video', maxFrames: 16, windowSeconds: 1 },
      aggregation: 'max',
      decisionBand: { low: 0.5, high: 0.5 },
      selfTest: { file: 'sample.webm', risk: 0.5, tolerance: 0.5 },
      ...fields,
    },
  )
}

describe('a package with its own head', () => {
  const bench = DetectorBench.forEach()
  const withHead = (head: Buffer, frames = 'tiny-encoder') =>
    writeTinyVideo(bench.modelsDir, { runtime: { kind: 'composed', frames, head: 'head.onnx' } }, { 'head.onnx': head })

  beforeEach(async () => {
    await writeEncoderPackage(bench.modelsDir)
  })

  it('judges the features of the frames', async () => {
    await withHead(tinyHeadOnnx(0, 1.5))
    const host = await bench.start({ ffmpeg: null })
    expect(await host.detect(clip('vp8.webm'))).toMatchObject({
      rawScore: 1.5,
      notes: expect.stringMatching(/; 4 frames; worst window 0\.0-\d\.\d s\b/),
    })
  })

  it('ignores a border that the package cuts off', async () => {
    const seen = async (border: number) => {
      await writeTinyVideo(
        bench.modelsDir,
        {
          runtime: { kind: 'composed', frames: 'tiny-encoder', head: 'head.onnx' },
          preprocessing: { kind: 'video', maxFrames: 16, windowSeconds: 1, border },
        },
        { 'head.onnx': tinyHeadOnnx(1, 0) },
      )
      const host = await bench.start({ ffmpeg: null })
      return (await host.detect(clip('vp8.webm'))).rawScore
    }
    expect(await seen(0.3)).not.toBe(await seen(0))
  })

  it.each([
    ['takes no features', () => tinyHeadOnnx(1, 0, 'pixels'), 'tiny-encoder', /runtime\.head/],
    ['names an image package without features', () => tinyHeadOnnx(1, 0), 'tiny-image', /states no runtime\.features/],
  ])('is refused where it %s', async (_, head, frames, message) => {
    await writeTinyPackage(bench.modelsDir)
    await withHead(head(), frames)
    await expect(bench.start({ ffmpeg: null })).rejects.toThrow(withReason('manifest-invalid', message))
  })
})

describe('a package composed of an image package', () => {
  const bench = DetectorBench.forAll()
  let bare: DetectorHost

  beforeAll(async () => {
    await writeTinyPackage(bench.modelsDir)
    await writeTinyVideo(bench.modelsDir)
    bare = await bench.start({ ffmpeg: null })
  })

  it('reports what was seen, the worst window and the risk of each', async () => {
    const detection = await bare.detect(clip('vp8.webm'))
    expect(detection).toMatchObject({
      detectorId: 'tiny-video',
      notes: expect.stringMatching(/^webm vp8 160x120 2\.0 s, 10 fps; 4 frames; worst window \d\.\d-\d\.\d s\b/),
      parts: [{ name: expect.stringMatching(/^window /), risk: detection.risk }],
    })
    expect(detection.elapsedMs.decode).toBeGreaterThan(0)
    expect(detection.elapsedMs.infer).toBeGreaterThan(0)
  })

  /** A file without an end at work, on a clock that stands still; the limits of time, memory and the parser run. */
  async function endlessWork(bytes: Buffer, limits: { timeoutMs?: number } = {}) {
    const clock = new ManualClock()
    const host = await bench.start({ ffmpeg: null, clock, ...limits })
    const idle = clock.sleeping
    const started = bench.next('job-started')
    const file = await bench.write('endless', bytes)
    const work = host.detect({ file, mediaType: 'video_short' }).catch((error: unknown) => error)
    const { pid } = await started
    await clock.untilSleeping(idle + 3)
    return { clock, host, pid, work }
  }
  const endless = endlessContainers[0]![1]

  it.each(endlessContainers)('refuses %s after 10 s in its parser, and reads the next file', async (_, bytes) => {
    const { clock, host, work } = await endlessWork(bytes)
    await clock.advance(10_000)
    expect(await work).toMatchObject({ reason: 'media-too-complex' })
    const next = host.detect(clip('vp8.webm'))
    // At the pace of time, since another process starts after a pause.
    const pace = setInterval(() => void clock.advance(20), 20)
    await expect(next.finally(() => clearInterval(pace))).resolves.toMatchObject({ detectorId: 'tiny-video' })
  })

  it('does not blame the parser where all of a job takes too long', async () => {
    const { clock, work } = await endlessWork(endless, { timeoutMs: 5_000 })
    await clock.advance(5_000)
    expect(await work).toMatchObject({ reason: 'detector-timeout' })
  })

  it('does not blame the file where its parser was killed from outside', async () => {
    const { pid, work } = await endlessWork(endless)
    process.kill(pid, 'SIGKILL')
    expect(await work).toMatchObject({ reason: 'detector-killed', facts: { exit: 'SIGKILL' } })
  })

  it('gives a rotated picture the size of an upright one, and about the same score in every codec', async () => {
    const scores = await Promise.all(
      ['vp8.webm', 'av1.mp4', 'mjpeg.mov', 'mjpeg.mkv'].map(async (name) => (await bare.detect(clip(name))).rawScore),
    )
    for (const score of scores) expect(score).toBeCloseTo(scores[0] as number, 0)
    expect((await bare.detect(clip('rotated-mjpeg.mov'))).notes).toMatch(/jpeg 120x160/)
  })

  it('ends an ffmpeg that hangs in time, by name', async () => {
    const hanging = await bench.write('hanging-ffmpeg', '#!/bin/sh\nexec sleep 600\n')
    await fs.chmod(hanging, 0o755)
    const host = await bench.start({ ffmpeg: hanging, timeoutMs: 2000 })
    await expect(host.detect(clip('h264.mp4'))).rejects.toMatchObject({ reason: 'detector-timeout' })
  })

  it.skipIf(ffmpeg === null)(
    'returns the same bits with and without ffmpeg for what is read without it (skipped where there is none)',
    async () => {
      const host = await bench.start({ ffmpeg })
      for (const name of ['vp8.webm', 'av1.mp4', 'mjpeg.mov']) {
        expect((await host.detect(clip(name))).rawScore).toBe((await bare.detect(clip(name))).rawScore)
      }
      const [first, second] = [await host.detect(clip('h264.mp4')), await host.detect(clip('h264.mp4'))]
      expect(first.rawScore).toBe(second.rawScore)
      expect(first.rawScore).toBeCloseTo((await bare.detect(clip('vp8.webm'))).rawScore, 0)
      expect(first.notes).toMatch(/^mp4 avc 160x120 2\.0 s, 10 fps; 10 frames; worst window/)
    },
  )

  describe.skipIf(ffmpeg === null)('decoded in part (skipped where there is no ffmpeg)', () => {
    /** Eight seconds with a keyframe each; the tiny network takes blue for real and red for machine-made. */
    async function detectPainted(name: string, ...paint: string[]) {
      const file = path.join(bench.modelsDir, `${name}.mp4`)
      const picture = ['-f', 'lavfi', '-i', 'testsrc2=size=160x120:rate=10:duration=8', '-vf', paint.join(',')]
      await make(...picture, '-g', '10', '-sc_threshold', '0', '-pix_fmt', 'yuv420p', '-c:v', 'libx264', file)
      return (await bench.start({ ffmpeg })).detect({ file, mediaType: 'video_short' })
    }
    const box = (color: string) => `drawbox=color=${color}@0.7:t=fill`

    it('is unsure where only the keyframes show real pictures', async () => {
      const detection = await detectPainted(
        'flicker',
        `${box('blue')}:enable='not(mod(n,10))'`,
        `${box('red')}:enable='mod(n,10)'`,
      )
      expect(detection).toMatchObject({ risk: expect.closeTo(0, 1), unsureBecause: 'flip' })
      expect(detection.variants).toEqual([
        { name: expect.stringMatching(/^shown between/), risk: expect.closeTo(1, 1) },
      ])
    })

    it('is sure where all frames show such pictures', async () => {
      expect(await detectPainted('real', box('blue'))).toMatchObject({
        risk: expect.closeTo(0, 1),
        unsureBecause: null,
      })
    })

    it('checks nothing further where the verdict is machine-made', async () => {
      expect(await detectPainted('made', box('red'))).toMatchObject({ risk: expect.closeTo(1, 1), variants: [] })
    })
  })
})
