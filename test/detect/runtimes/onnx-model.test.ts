import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { loadPackage } from '../../../src/detect/package/package-loader.js'
import { loadNetwork } from '../../../src/detect/runtimes/onnx-model.js'
import { TINY_BIAS, TINY_WEIGHTS, writeTinyPackage } from '../../support/detector-package.js'
import { tinyOnnx } from '../../support/detector-tiny-onnx.js'
import { folderForEach } from '../../support/temporary-folder.js'

const modelsDir = folderForEach()

it('packages of one packed network hold it once, even where they load side by side', async () => {
  const model = gzipSync(tinyOnnx(TINY_WEIGHTS, TINY_BIAS))
  const ids = ['first', 'second']
  const packs = await Promise.all(
    ids.map(async (id) => loadPackage(await writeTinyPackage(modelsDir, { id, model, packed: true }))),
  )
  const [first, second] = await Promise.all(packs.map((pack) => loadNetwork(pack, 'model.onnx.gz')))
  expect(first?.session).toBe(second?.session)
})
