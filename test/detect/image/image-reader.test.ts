import { expect, it } from 'vitest'
import { systemClock } from '../../../src/core/clock.js'
import { readImage } from '../../../src/detect/image/image-reader.js'
import { imagePreprocessing } from '../../../src/detect/package/image-plan.js'
import { plain as filled, noise } from '../../support/detector-images.js'
import { tinyManifest } from '../../support/detector-package.js'
import { filesForAll } from '../../support/temporary-folder.js'
import { unwatched } from '../../support/unwatched-parsers.js'

const TOOLS = { timeoutSeconds: 10, ffmpeg: null, clock: systemClock, parsers: unwatched }

function plan(refuseFeatureless: boolean) {
  const { preprocessing } = tinyManifest('tiny', {})
  return imagePreprocessing.parse({ ...(preprocessing as object), refuseFeatureless })
}

const fileWith = filesForAll()

it('readImage refuses a featureless picture where the package asks for that', async () => {
  const black = await fileWith(await filled({ r: 0, g: 0, b: 0 }, 200, 200).png().toBuffer())
  await expect(readImage(black, plan(true), TOOLS)).rejects.toMatchObject({ reason: 'media-featureless' })
  expect((await readImage(black, plan(false), TOOLS)).summary).toBe('png 200x200')
  const noisy = await fileWith(await noise(200, 200).png().toBuffer())
  expect((await readImage(noisy, plan(true), TOOLS)).summary).toBe('png 200x200')
})
