import path from 'node:path'
import sharp from 'sharp'
import { beforeAll, describe, expect, it } from 'vitest'
import { packagePath } from '../../../src/core/files.js'
import type { DetectorHost } from '../../../src/detect/detection.js'
import { sigmoid } from '../../../src/detect/scoring/calibration.js'
import { DetectorBench } from '../../support/detector-bench.js'
import { headLogit, writeEncoderPackage, writeHeadPackage } from '../../support/detector-encoded.js'
import { FUSION, viewsLogit, writeViewsPackage, writeWholePackage } from '../../support/detector-faces.js'
import { noise, plain } from '../../support/detector-images.js'
import { tinyLogit } from '../../support/detector-package.js'
import { withReason } from '../../support/with-reason.js'

const sample = (name: string) => packagePath('samples', name)
/** Two colors in fine stripes: detail enough to be judged, and every piece has the same mean. */
const STRIPES = { light: { r: 150, g: 140, b: 130 }, dark: { r: 110, g: 100, b: 90 } }
const MEAN = { r: 130, g: 120, b: 110 }

function striped(width: number, height: number): Promise<Buffer> {
  const line = Buffer.alloc(width * height * 3)
  for (let at = 0; at < line.length; at += 3) {
    const { r, g, b } = Math.floor(at / 3 / width) % 2 === 0 ? STRIPES.light : STRIPES.dark
    line.set([r, g, b], at)
  }
  return plain(MEAN, width, height)
    .composite([{ input: line, raw: { width, height, channels: 3 } }])
    .png()
    .toBuffer()
}

describe('a package for several views', () => {
  const bench = DetectorBench.forAll()
  let host: DetectorHost
  beforeAll(async () => {
    await writeViewsPackage(bench.modelsDir)
    host = await bench.start()
  })

  const detect = async (name: string, data: Uint8Array) =>
    host.detect({ file: await bench.write(name, data), mediaType: 'image' })

  it('uses the weight of the whole where there is no face, and names it', async () => {
    const detection = await detect('stripes.png', await striped(192, 128))
    expect(detection.rawScore).toBeCloseTo(viewsLogit(MEAN), 2)
    expect(detection.notes).toMatch(/^png 192x128; 1 part \(whole picture\), logit /)
    expect(detection.parts).toEqual([{ name: 'whole picture', risk: expect.closeTo(sigmoid(viewsLogit(MEAN)), 2) }])
  })

  it('uses other weights where there is a face, and reports its place', async () => {
    const portrait = await host.detect({ file: sample('astronaut.jpg'), mediaType: 'image' })
    expect(portrait.notes).toMatch(/^jpeg 512x512, 1 face; 2 parts, /)
    const { intercept, whole, face } = FUSION.withFaces
    const logits = portrait.parts.map(({ name, risk }) => {
      return { name, logit: (Math.log(risk / (1 - risk)) - intercept) / (whole + face) }
    })
    const of = (start: string) => logits.find(({ name }) => name.startsWith(start))?.logit ?? Number.NaN
    expect(portrait.rawScore).toBeCloseTo(intercept + whole * of('whole') + face * of('face'), 3)
  })

  it('returns the same bits each time, and the time of each stage', async () => {
    const [first, second] = await Promise.all(
      [1, 2].map(() => host.detect({ file: sample('coffee.jpg'), mediaType: 'image' })),
    )
    expect(second?.rawScore).toBe(first?.rawScore)
    expect(Object.keys(first?.elapsedMs.stages ?? {}).sort()).toEqual([
      'crops',
      'decode',
      'evidence',
      'faces',
      'network',
    ])
  })

  it.each([
    [40, 48],
    [33, 700],
    [900, 33],
  ])('scores a picture of %d x %d', async (width, height) => {
    const { notes } = await detect('odd.png', await noise(width, height).png().toBuffer())
    expect(notes).toContain(`png ${width}x${height}; 1 part (whole picture)`)
  })

  it.each([
    ['black.png', plain({ r: 0, g: 0, b: 0 }, 200, 200).png(), 'media-featureless'],
    ['blank.jpg', plain({ r: 250, g: 250, b: 248 }, 640, 480).jpeg({ quality: 70 }), 'media-featureless'],
    ['small.png', noise(30, 300).png(), 'media-too-small'],
  ])('refuses %s by name', async (name, picture, reason) => {
    await expect(detect(name, await picture.toBuffer())).rejects.toMatchObject({ reason })
  })

  it('scores the last frame of an animation, too', async () => {
    const reddish = noise(192, 128).linear([0.3, 0.3, 0.3], [150, 20, 20])
    const frames = await Promise.all([reddish, noise(192, 128)].map((each) => each.raw().toBuffer()))
    const raw = { width: 192, height: 256, channels: 3, pageHeight: 128 } as const
    const animation = await sharp(Buffer.concat(frames), { raw }).webp({ lossless: true }).toBuffer()
    const still = await sharp(frames[1], { raw: { width: 192, height: 128, channels: 3 } })
      .png()
      .toBuffer()
    const { variants } = await detect('animation.webp', animation)
    expect(variants).toEqual([{ name: 'frame 2 of 2', risk: (await detect('still.png', still)).risk }])
  })
})

describe('a package without faces, its network packed', () => {
  const bench = DetectorBench.forAll()
  let host: DetectorHost
  beforeAll(async () => {
    await writeWholePackage(bench.modelsDir)
    host = await bench.start()
  })

  it('scores the whole only', async () => {
    const { notes, parts, rawScore } = await host.detect({
      file: await bench.write('stripes.png', await striped(192, 128)),
      mediaType: 'image',
    })
    expect(notes).toMatch(/^png 192x128; 1 part \(whole picture\), logit /)
    expect(parts.map(({ name }) => name)).toEqual(['whole picture'])
    expect(rawScore).toBeCloseTo(tinyLogit(MEAN), 2)
  })

  it('draws a heat map by the network of the whole', async () => {
    const out = path.join(bench.folder, 'map.png')
    const file = await bench.write('map-of.png', await striped(300, 200))
    const heatMap = await host.show({ file, mediaType: 'image', what: 'map', out })
    expect(heatMap?.pieces).toBeGreaterThan(20)
    expect(heatMap?.highest).toBeCloseTo(sigmoid(tinyLogit(MEAN)), 1)
  })
})

it.each([
  ['decides alone', [1e6, 1e7], /^jpeg 512x512, clear, face check skipped; 1 part \(whole picture\), /],
  ['does not', [-1e6, 1e6], /^jpeg 512x512, 1 face; 2 parts, /],
])('a package whose whole view says where faces are looked for where it %s', async (_, facesBetween, notes) => {
  const bench = await DetectorBench.forTest()
  await writeViewsPackage(bench.modelsDir, { fusion: { ...FUSION, facesBetween } })
  const host = await bench.start()
  expect((await host.detect({ file: sample('astronaut.jpg'), mediaType: 'image' })).notes).toMatch(notes)
})

it('a package that judges the whole by a head of its own runs it over the encoder whose file another package keeps', async () => {
  const bench = await DetectorBench.forTest()
  await writeEncoderPackage(bench.modelsDir)
  await writeHeadPackage(bench.modelsDir)
  const host = await bench.start({ detectors: [{ id: 'tiny-head' }] })
  const file = await bench.write('stripes.png', await striped(192, 128))
  expect((await host.detect({ file, mediaType: 'image' })).rawScore).toBeCloseTo(headLogit(MEAN), 1)
})

it('a network that is not compressed as its name states is refused by name', async () => {
  const bench = await DetectorBench.forTest()
  await writeWholePackage(bench.modelsDir, (network) => network)
  await expect(bench.start()).rejects.toThrow(
    withReason('manifest-invalid', 'whole.onnx.gz of tiny-views cannot be unpacked: incorrect header check'),
  )
})

describe('its stability probe', () => {
  const variantsOf = async (fields: Record<string, unknown>) => {
    const bench = await DetectorBench.forTest()
    await writeViewsPackage(bench.modelsDir, { decisionBand: { low: 0.5, high: 0.5 }, ...fields })
    const host = await bench.start()
    return (await host.detect({ file: sample('astronaut.jpg'), mediaType: 'image' })).variants
  }

  it('scores the re-encodings with their faces, which change little', async () => {
    const variants = await variantsOf({ stabilityProbe: true })
    expect(variants.map(({ name }) => name)).toEqual([
      'JPEG quality 80',
      '75 % size',
      'cut by 2 % a side, JPEG quality 60',
    ])
    const risks = variants.map(({ risk }) => risk)
    expect(Math.max(...risks) - Math.min(...risks)).toBeLessThan(0.1)
  })
  it('is left out where the risk is far from 50 %', async () => {
    expect(await variantsOf({ stabilityProbe: { withinLogit: 0.0001 } })).toEqual([])
    expect(await variantsOf({ stabilityProbe: { withinLogit: 50 } })).toHaveLength(3)
  })
})

it('subtracts the shift from a portrait with faces, and reports it', async () => {
  const score = async (fusion: object) => {
    const bench = await DetectorBench.forTest()
    await writeViewsPackage(bench.modelsDir, { fusion })
    return (await bench.start()).detect({ file: sample('astronaut.jpg'), mediaType: 'image' })
  }
  const above = { ...FUSION, withFaces: { ...FUSION.withFaces, intercept: 10 } }
  const plainly = await score(above)
  const [width, height] = plainly.parts.flatMap(({ name }) => /(\d+)x(\d+)\)$/.exec(name)?.slice(1).map(Number) ?? [])
  const share = (Number(width) * Number(height)) / 512 ** 2
  const portrait = await score({ ...above, portraits: { minShare: share - 1e-6, shift: 1.5 } })
  const small = await score({ ...above, portraits: { minShare: share + 1e-6, shift: 1.5 } })
  expect(portrait.rawScore).toBeCloseTo(plainly.rawScore - 1.5, 6)
  expect(portrait.notes).toMatch(/^jpeg 512x512, 1 face, portrait; 2 parts, /)
  expect(small).toMatchObject({ rawScore: plainly.rawScore, notes: plainly.notes })
  expect(plainly.notes).toMatch(/^jpeg 512x512, 1 face; 2 parts, /)
})
