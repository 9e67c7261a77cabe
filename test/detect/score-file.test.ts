import { afterAll, beforeAll, expect, it } from 'vitest'
import { mediaTypeOf, scoreFile } from '../../src/detect/score-file.js'
import { DetectorBench } from '../support/detector-bench.js'
import { isoMedia, mp3, noise } from '../support/detector-images.js'
import { writeTinyPackage } from '../support/detector-package.js'

let bench: DetectorBench
beforeAll(async () => {
  bench = await DetectorBench.create()
  await writeTinyPackage(bench.modelsDir)
})
afterAll(() => bench.dispose())

it.each([
  ['image', async () => noise().tiff({ compression: 'deflate' }).toBuffer()],
  ['image', async () => noise().jpeg().toBuffer()],
  ['audio', async () => mp3()],
  ['video_short', async () => isoMedia('isom')],
  ['text', async () => 'Lorem ipsum'],
])('tells %s by the bytes', async (mediaType, make) => {
  expect(await mediaTypeOf(await bench.write('file.xyz', await make()))).toBe(mediaType)
})

it('refuses bytes that tell nothing', async () => {
  const file = await bench.write('unknown', Buffer.from('00ff1337', 'hex'))
  await expect(mediaTypeOf(file)).rejects.toMatchObject({ reason: 'media-unsupported' })
})

it('scores what a detector is loaded for', async () => {
  const host = await bench.start()
  await expect(scoreFile(host, await bench.write('a', await noise().png().toBuffer()))).resolves.toMatchObject({
    detectorId: 'tiny-image',
  })
  await expect(scoreFile(host, await bench.write('b', 'Lorem ipsum'))).rejects.toMatchObject({
    reason: 'detector-none',
  })
})
