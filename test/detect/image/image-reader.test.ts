import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../../src/core/clock.js'
import { readImage } from '../../../src/detect/image/image-reader.js'
import { parseManifest } from '../../../src/detect/package/manifest.js'
import { noise, plain } from '../../support/detector-images.js'
import { tinyManifest } from '../../support/detector-package.js'
import { unwatched } from '../../support/unwatched-parsers.js'

const TOOLS = { maxPixels: 1e7, timeoutSeconds: 10, ffmpeg: null, clock: systemClock, parsers: unwatched }

function manifest(refuseFeatureless: boolean) {
  const tiny = tinyManifest('tiny', { 'model.onnx': new Uint8Array(1), 'selftest.png': new Uint8Array(1) })
  const preprocessing = { ...(tiny.preprocessing as Record<string, unknown>), refuseFeatureless }
  return parseManifest(JSON.stringify({ ...tiny, preprocessing }), 'detector.json')
}

describe('readImage', () => {
  let folder: string
  const file = async (name: string, bytes: Promise<Buffer>) => {
    const where = path.join(folder, name)
    await fs.writeFile(where, await bytes)
    return where
  }
  beforeAll(async () => {
    folder = await fs.mkdtemp(path.join(os.tmpdir(), 'attestd-image-reader-'))
  })
  afterAll(() => fs.rm(folder, { recursive: true, force: true }))

  it('refuses a featureless picture where the package asks for that', async () => {
    const black = await file('black.png', plain({ r: 0, g: 0, b: 0 }, 200, 200).png().toBuffer())
    await expect(readImage(black, manifest(true), TOOLS)).rejects.toMatchObject({ reason: 'media-featureless' })
    expect((await readImage(black, manifest(false), TOOLS)).summary).toBe('png 200x200')
    const noisy = await file('noise.png', noise(200, 200).png().toBuffer())
    expect((await readImage(noisy, manifest(true), TOOLS)).summary).toBe('png 200x200')
  })
})
