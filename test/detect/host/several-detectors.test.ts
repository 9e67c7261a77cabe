import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { DetectorHost } from '../../../src/detect/detection.js'
import { logitOf, sigmoid } from '../../../src/detect/scoring/calibration.js'
import { DetectorBench } from '../../support/detector-bench.js'
import { noise, plain } from '../../support/detector-images.js'
import { tinyManifest, writeTinyPackage } from '../../support/detector-package.js'
import { tinyOnnx } from '../../support/detector-tiny-onnx.js'

const image = (file: string) => ({ file, mediaType: 'image' as const })
const BLUE = { r: 90, g: 110, b: 150 }
/** Pictures of two sizes: the larger one only is for `tall`. */
const tallOnly = (side: number) => ({
  ...(tinyManifest('any', {}).preprocessing as Record<string, unknown>),
  minShortSide: side,
})
const softened = (temperature: number) => ({
  calibration: { kind: 'temperature', temperature },
  selfTest: { file: 'selftest.png', risk: 0.9, tolerance: 0.1 },
})
/** A network whose output overflows for white, so that the detector fails there and nowhere else. */
const OVERFLOWS_ON_WHITE = {
  model: tinyOnnx([2e38, 0, 0], 0),
  manifest: { selfTest: { file: 'selftest.png', risk: 1, tolerance: 0 } },
}

describe('an ensemble', () => {
  const bench = DetectorBench.forAll()
  let host: DetectorHost
  beforeAll(async () => {
    await writeTinyPackage(bench.modelsDir, {
      id: 'a',
      manifest: { ...softened(4) },
    })
    await writeTinyPackage(bench.modelsDir, { id: 'b', manifest: { preprocessing: tallOnly(64), weight: 3 } })
    await writeTinyPackage(bench.modelsDir, { id: 'c', ...OVERFLOWS_ON_WHITE })
    host = await bench.start({ detectors: [{ id: 'b' }, { id: 'a' }] })
  })

  it('weighs the calibrated risks of its members in logit space', async () => {
    const file = await bench.write('both.png', await plain(BLUE, 120, 120).png().toBuffer())
    const detection = await host.detect(image(file))
    const alone = await bench.start({ detectors: [{ id: 'b' }] })
    const logit = (await alone.detect(image(file))).rawScore
    expect(detection.rawScore).toBeCloseTo((logit / 4 + 3 * logit) / 4, 9)
    expect(detection).toMatchObject({
      detectorId: 'ensemble(a+b)',
      detectorDigest: host.detectorFor('image')?.digest,
      risk: sigmoid(detection.rawScore),
      notes: expect.stringMatching(/^a [\d.]+ \(weight 1\): png .*; b [\d.]+ \(weight 3\): png /),
    })
    expect(host.detectorFor('image')).toMatchObject({ id: 'ensemble(a+b)', version: detection.detectorVersion })
    expect(detection.parts[0]?.name).toMatch(/^a: /)
  })

  it('leaves out a member that cannot judge the file, and reports it', async () => {
    const file = await bench.write('small.png', await plain(BLUE, 60, 60).png().toBuffer())
    const detection = await host.detect(image(file))
    const alone = await bench.start({ detectors: [{ id: 'a' }] })
    expect(detection.rawScore).toBeCloseTo(logitOf((await alone.detect(image(file))).risk), 9)
    expect(detection.notes).toMatch(/; b left out: media-too-small$/)
  })

  it('draws its heat map by the first member that can judge the file', async () => {
    const other = await DetectorBench.forTest()
    await writeTinyPackage(other.modelsDir, { id: 'p', manifest: { preprocessing: tallOnly(64) } })
    await writeTinyPackage(other.modelsDir, { id: 'q' })
    const both = await other.start({ detectors: [{ id: 'p' }, { id: 'q' }] })
    const file = await other.write('small.png', await plain(BLUE, 60, 60).png().toBuffer())
    const out = path.join(other.folder, 'map.png')
    expect(await both.show({ ...image(file), what: 'map', out })).toMatchObject({ pieces: expect.any(Number) })
    expect((await fs.readFile(out)).subarray(1, 4).toString()).toBe('PNG')
  })
})

describe('a shadow', () => {
  const bench = DetectorBench.forAll()
  beforeAll(async () => {
    await writeTinyPackage(bench.modelsDir, { id: 'live' })
    await writeTinyPackage(bench.modelsDir, {
      id: 'dark',
      manifest: { shadow: true, ...softened(2) },
    })
    await writeTinyPackage(bench.modelsDir, { id: 'fails', ...OVERFLOWS_ON_WHITE })
  })

  it('runs apart from what is submitted, in a process of low priority', async () => {
    const host = await bench.start({ detectors: [{ id: 'live' }, { id: 'dark' }] })
    const file = await bench.write('picture.png', await plain(BLUE).png().toBuffer())
    expect(host.detectorFor('image')?.id).toBe('live')
    expect(host.detectors).toMatchObject([
      { id: 'live', shadow: false },
      { id: 'dark', shadow: true, mediaTypes: ['image'] },
    ])
    const submitted = await host.detect(image(file))
    const [only, ...others] = await host.shadow(image(file))
    expect(others).toEqual([])
    expect(only).toMatchObject({ detector: { id: 'dark' }, detection: { rawScore: submitted.rawScore } })
    expect(submitted.detectorId).toBe('live')
    // By who did the work: the processes start side by side, in any order.
    const priorities = bench.all('job-started').map(({ detectorId, pid }) => [detectorId, os.getPriority(pid)])
    expect(priorities).toEqual([
      ['live', os.getPriority()],
      ['dark', os.constants.priority.PRIORITY_LOW],
    ])
  })

  it('reports its failures by name and continues', async () => {
    const host = await bench.start({ detectors: [{ id: 'live' }, { id: 'fails', shadow: true }, { id: 'dark' }] })
    const file = await bench.write('white.png', await plain('#fff').png().toBuffer())
    await expect(host.detect(image(file))).resolves.toMatchObject({ detectorId: 'live' })
    expect(await host.shadow(image(file))).toMatchObject([
      { detector: { id: 'fails' }, reason: 'detector-failed' },
      { detector: { id: 'dark' }, detection: { detectorId: 'dark' } },
    ])
  })
})

describe('a reload', () => {
  const bench = DetectorBench.forEach()
  beforeEach(async () => {
    await writeTinyPackage(bench.modelsDir)
  })

  it('passes new files to the new version and lets the old one finish', async () => {
    const host = await bench.start()
    const before = host.detectorFor('image')
    const heavy = await bench.write('heavy', await plain('#345', 6900, 6900).webp({ effort: 0 }).toBuffer())
    const light = await bench.write('light', await noise().jpeg().toBuffer())
    const begun = host.detect(image(heavy))
    const waiting = host.detect(image(light))
    await writeTinyPackage(bench.modelsDir, { manifest: { version: '2.0.0' } })
    await host.reload()
    expect(host.detectorFor('image')).toMatchObject({ id: 'tiny-image', version: '2.0.0' })
    expect(host.detectorFor('image')?.digest).not.toBe(before?.digest)
    expect(await host.detect(image(light))).toMatchObject({ detectorVersion: '2.0.0' })
    expect([await begun, await waiting].map(({ detectorDigest }) => detectorDigest)).toEqual([
      before?.digest,
      before?.digest,
    ])
    await expect.poll(() => bench.all('child-stopped').map(({ cause }) => cause)).toEqual(['closed'])
    expect(bench.all('detectors-loaded').at(-1)).toMatchObject({
      detectors: [{ version: '2.0.0' }],
      before: [{ version: '1.0.0' }],
    })
  })

  it('changes nothing where the new package is broken', async () => {
    const host = await bench.start()
    const before = host.detectors
    const folder = path.join(bench.modelsDir, 'tiny-image')
    const another = { selfTest: { file: 'selftest.png', risk: 0.1, tolerance: 0.01 } }
    const spoiled: [reason: string, spoil: () => Promise<unknown>][] = [
      ['model-digest-mismatch', () => fs.appendFile(path.join(folder, 'model.onnx'), 'x')],
      ['manifest-invalid', () => fs.writeFile(path.join(folder, 'detector.json'), '{')],
      ['detector-self-test-failed', () => writeTinyPackage(bench.modelsDir, { manifest: another })],
    ]
    const light = await bench.write('light', await noise().jpeg().toBuffer())
    for (const [reason, spoil] of spoiled) {
      await writeTinyPackage(bench.modelsDir)
      await spoil()
      await expect(host.reload()).rejects.toMatchObject({ reason, kind: 'setup' })
      expect(host.detectors).toEqual(before)
      expect(await host.detect(image(light))).toMatchObject({ detectorDigest: before[0]?.digest })
    }
    await writeTinyPackage(bench.modelsDir, { manifest: { version: '3.0.0' } })
    await host.reload()
    expect(host.detectors).toMatchObject([{ version: '3.0.0' }])
  })

  it('can take another selection, which later reloads keep', async () => {
    await writeTinyPackage(bench.modelsDir, { id: 'other' })
    const host = await bench.start({ detectors: [{ id: 'tiny-image' }] })
    await host.reload([{ id: 'other' }, { id: 'tiny-image', shadow: true }])
    await host.reload()
    expect(host.detectors).toMatchObject([
      { id: 'other', shadow: false },
      { id: 'tiny-image', shadow: true },
    ])
  })

  it('needs approval of the packages, and is refused with its reason', async () => {
    const asked: string[][] = []
    const host = await bench.start({
      admit: async (packages) => {
        asked.push(packages.map(({ manifest }) => manifest.version))
        if (asked.length > 1) throw new Error('not admitted')
      },
    })
    await writeTinyPackage(bench.modelsDir, { manifest: { version: '2.0.0' } })
    await expect(host.reload()).rejects.toThrow('not admitted')
    expect(asked).toEqual([['1.0.0'], ['2.0.0']])
    expect(host.detectors).toMatchObject([{ version: '1.0.0' }])
  })

  it('in progress when the host closes leaves no process behind', async () => {
    const host = await bench.start()
    const reload = host.reload().catch((error: unknown) => error)
    await host.close()
    expect(await reload).toMatchObject({ name: expect.stringMatching(/Error/) })
    expect(bench.all('child-stopped')).toHaveLength(bench.all('child-started').length)
  })
})
