import fs from 'node:fs/promises'
import path from 'node:path'
import sharp from 'sharp'
import { beforeAll, describe, expect, it } from 'vitest'
import type { DetectorHost } from '../../../src/detect/detection.js'
import { pieces, riskGrid } from '../../../src/detect/image/heat-map.js'
import { colorOf } from '../../../src/detect/image/heat-map-picture.js'
import { sigmoid } from '../../../src/detect/scoring/calibration.js'
import { DetectorBench } from '../../support/detector-bench.js'
import { plain } from '../../support/detector-images.js'
import { tinyLogit, writeTinyPackage } from '../../support/detector-package.js'
import { writeModulePackage } from '../../support/other-packages.js'
import { withReason } from '../../support/with-reason.js'

describe('pieces', () => {
  it('reach every edge and overlap', () => {
    const found = pieces(300, 200)
    expect(found.every(({ width, height }) => width === 67 && height === 67)).toBe(true)
    expect(found[0]).toEqual({ left: 0, top: 0, width: 67, height: 67 })
    expect(found.at(-1)).toEqual({ left: 233, top: 133, width: 67, height: 67 })
    const lefts = [...new Set(found.map(({ left }) => left))]
    expect(Math.max(...lefts.slice(1).map((left, index) => left - (lefts[index] as number)))).toBeLessThan(40)
  })

  it.each([
    [1, 1],
    [40, 40],
    [5000, 32],
    [6000, 4000],
  ])('of %d x %d are inside, and not too many', (width, height) => {
    const found = pieces(width, height)
    expect(found.length).toBeGreaterThan(0)
    expect(found.length).toBeLessThanOrEqual(256)
    for (const { left, top, width: side } of found) {
      expect(Math.min(left, top)).toBeGreaterThanOrEqual(0)
      expect(left + side).toBeLessThanOrEqual(width)
      expect(top + side).toBeLessThanOrEqual(height)
    }
  })
})

describe('riskGrid', () => {
  it('is the mean of the pieces over a cell', () => {
    const squares = [
      { left: 0, top: 0, width: 20, height: 20 },
      { left: 20, top: 0, width: 20, height: 20 },
    ]
    const { columns, rows, risks } = riskGrid(40, 20, squares, [0.2, 0.8])
    expect([columns, rows]).toEqual([6, 3])
    expect(risks.slice(0, 6)).toEqual([0.2, 0.2, 0.2, 0.8, 0.8, 0.8])
  })

  it('takes the nearest piece beyond the ends of a strip', () => {
    const { risks } = riskGrid(90, 10, [{ left: 40, top: 0, width: 10, height: 10 }], [0.7])
    expect(new Set(risks)).toEqual(new Set([0.7]))
  })
})

it('colors run from blue over yellow to red', () => {
  expect([0, 0.5, 1].map(colorOf)).toEqual([
    [49, 54, 149],
    [255, 255, 191],
    [165, 0, 38],
  ])
})

describe('a heat map on demand', () => {
  const BLUE = { r: 90, g: 128, b: 150 }
  const RED = { r: 170, g: 128, b: 110 }
  const bench = DetectorBench.forAll()
  let host: DetectorHost
  beforeAll(async () => {
    await writeTinyPackage(bench.modelsDir)
    host = await bench.start()
  })

  it('shows where the risk lies', async () => {
    const half = { create: { width: 200, height: 240, channels: 3 as const, background: RED } }
    const picture = await plain(BLUE, 400, 240)
      .composite([{ input: half, left: 200, top: 0 }])
      .png()
      .toBuffer()
    const file = await bench.write('halves.png', picture)
    const out = path.join(bench.folder, 'map.png')
    expect(await host.show({ file, mediaType: 'image', what: 'map', out })).toEqual({
      pieces: expect.any(Number),
      lowest: expect.closeTo(sigmoid(tinyLogit(BLUE)), 3),
      highest: expect.closeTo(sigmoid(tinyLogit(RED)), 3),
    })
    const { data, info } = await sharp(out).raw().toBuffer({ resolveWithObject: true })
    expect([info.width, info.height]).toEqual([400, 288])
    const at = (x: number, y: number) => [...data.subarray((y * info.width + x) * info.channels).subarray(0, 3)]
    const [left, right] = [at(40, 120), at(360, 120)]
    expect((left[2] as number) - (left[0] as number)).toBeGreaterThan(25)
    expect((right[0] as number) - (right[2] as number)).toBeGreaterThan(25)
  })

  it('is drawn large enough to read for a small picture', async () => {
    const file = await bench.write('small.png', await plain(RED, 33, 40).png().toBuffer())
    const out = path.join(bench.folder, 'small-map.png')
    await host.show({ file, mediaType: 'image', what: 'map', out })
    expect(await sharp(out).metadata()).toMatchObject({ width: 320 })
  })

  it('is refused by name where the detector draws none', async () => {
    const other = await DetectorBench.forTest()
    const main = 'export const createDetector = () => ({ measure: async () => ({ logit: 3 }) })'
    await writeModulePackage(other.modelsDir, { 'main.mjs': main })
    const file = await other.write('a.txt', 'y'.repeat(150))
    const out = path.join(other.folder, 'map.png')
    await expect((await other.start()).show({ file, mediaType: 'text', what: 'map', out })).rejects.toMatchObject({
      reason: 'media-unsupported',
      message: 'The detector by-module draws no heat map of this kind of media.',
    })
  })

  it('of a picture that cannot be scored is not written', async () => {
    const file = await bench.write('tiny.png', await plain(RED, 8, 8).png().toBuffer())
    const out = path.join(bench.folder, 'none.png')
    await expect(host.show({ file, mediaType: 'image', what: 'map', out })).rejects.toThrow(
      withReason('media-too-small'),
    )
    await expect(fs.access(out)).rejects.toThrow('ENOENT')
  })
})
