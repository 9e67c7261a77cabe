import sharp, { type Sharp } from 'sharp'
import { beforeAll, describe, expect, it } from 'vitest'
import type { DetectorHost } from '../../../src/detect/detection.js'
import { DetectorBench } from '../../support/detector-bench.js'
import { plain } from '../../support/detector-images.js'
import { writeTinyPackage } from '../../support/detector-package.js'

/** Grayish, a little blue: what the tiny network calls real. */
const INSIDE = { r: 118, g: 128, b: 128 }

/** A picture with a thin red frame, which the tiny network calls fake as long as the frame is there. */
function framed(): Sharp {
  const inside = { create: { width: 192, height: 192, channels: 3, background: INSIDE } } as const
  return plain({ r: 255, g: 0, b: 0 }, 200, 200).composite([{ input: inside, left: 4, top: 4 }])
}

it('a package without a stability probe is unsure of an animation whose last frame gets another verdict than its first', async () => {
  const bench = await DetectorBench.forTest()
  await writeTinyPackage(bench.modelsDir, { manifest: { decisionBand: { low: 0.5, high: 0.5 } } })
  const host = await bench.start()
  const [real, fake] = [plain(INSIDE, 200, 200), plain({ r: 255, g: 0, b: 0 }, 200, 200)]
  const frames = await Promise.all([real, fake].map((frame) => frame.raw().toBuffer()))
  const raw = { width: 200, height: 400, channels: 3, pageHeight: 200 } as const
  const data = await sharp(Buffer.concat(frames), { raw })
    .webp({ lossless: true, delay: [10, 9000] })
    .toBuffer()
  const detection = await host.detect({ file: await bench.write('two.webp', data), mediaType: 'image' })
  expect(detection.risk).toBeLessThan(0.5)
  expect(detection).toMatchObject({ unsure: true, unsureBecause: 'flip' })
  expect(detection.variants.map(({ name, risk }) => [name, risk > 0.5])).toEqual([['frame 2 of 2', true]])
})

describe('a package with a stability probe', () => {
  const bench = DetectorBench.forAll()
  let host: DetectorHost
  beforeAll(async () => {
    await writeTinyPackage(bench.modelsDir, {
      manifest: { stabilityProbe: true, decisionBand: { low: 0.5, high: 0.5 } },
    })
    host = await bench.start()
  })

  const detect = async (name: string, data: Uint8Array) =>
    host.detect({ file: await bench.write(name, data), mediaType: 'image' })

  it('scores the re-encodings, and reports that one flips the verdict', async () => {
    const detection = await detect('framed.png', await framed().png().toBuffer())
    expect(detection.risk).toBeGreaterThan(0.5)
    expect(detection).toMatchObject({ unsure: true, unsureBecause: 'flip' })
    expect(detection.variants.map(({ name, risk }) => [name, risk > 0.5])).toEqual([
      ['JPEG quality 80', true],
      ['75 % size', true],
      ['cut by 2 % a side, JPEG quality 60', false],
    ])
  })

  it('is sure where every re-encoding agrees, and returns the same risks each time', async () => {
    const data = await plain(INSIDE, 200, 200).png().toBuffer()
    const [first, second] = [await detect('a.png', data), await detect('b.png', data)]
    expect(first).toMatchObject({ unsure: false, unsureBecause: null })
    expect(first.variants).toHaveLength(3)
    expect(second.variants).toEqual(first.variants)
  })

  it('leaves out a re-encoding that is too small for the detector', async () => {
    const { variants } = await detect('small.png', await plain(INSIDE, 34, 34).png().toBuffer())
    expect(variants.map(({ name }) => name)).toEqual(['JPEG quality 80', 'cut by 2 % a side, JPEG quality 60'])
  })

  it('reports the evidence in a picture, without a change of its risk', async () => {
    const bare = await framed().jpeg().toBuffer()
    const marked = await framed()
      .withExif({ IFD0: { Software: 'Painter 1' } })
      .jpeg()
      .toBuffer()
    const [plainly, stating] = [await detect('bare.jpg', bare), await detect('marked.jpg', marked)]
    expect(stating.evidence).toEqual([{ kind: 'exif', text: 'exif Software "Painter 1"' }])
    expect(stating.notes).toMatch(/^jpeg 200x200; 5 parts, .*; states: exif Software "Painter 1"$/)
    expect(stating.risk).toBe(plainly.risk)
    expect(plainly.evidence).toEqual([])
  })
})
