import fs from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../../src/core/clock.js'
import { onnxNames } from '../../../src/lab/import/onnx-names.js'
import { tinyOnnx } from '../../support/detector-tiny-onnx.js'
import { folderForEach } from '../../support/temporary-folder.js'

const folder = folderForEach()

const refused = (message: string | RegExp) => ({
  reason: 'import-unsupported',
  message: expect.stringMatching(message),
})

const { signal } = new AbortController()
const options = { clock: systemClock, ffmpeg: null, timeoutMs: 60_000, memoryBytes: 2 ** 30, signal }

describe('weights', () => {
  it('report their inputs and outputs, in a separate process', async () => {
    const model = path.join(folder, 'model.onnx')
    await fs.writeFile(model, tinyOnnx([1, 2, 3], 0))
    const { inputs, outputs } = await onnxNames(model, options)
    expect(inputs).toMatchObject([{ name: 'pixels', type: 'float32' }])
    expect(inputs[0]?.shape[1]).toBe(3)
    expect(outputs.map(({ name }) => name)).toEqual(['logit'])
  })

  it('that are invalid or missing are refused by name', async () => {
    const model = path.join(folder, 'model.onnx')
    await expect(onnxNames(model, options)).rejects.toMatchObject(refused('is not a network that runs here'))
    await fs.writeFile(model, 'not a network')
    await expect(onnxNames(model, options)).rejects.toMatchObject({
      ...refused(/model\.onnx is not a network/),
      fix: expect.stringContaining('remote-file'),
    })
  })
})
