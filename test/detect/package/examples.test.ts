import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../../src/core/clock.js'
import { packagePath } from '../../../src/core/files.js'
import { MANIFEST_FILE, parseManifest } from '../../../src/detect/package/manifest.js'
import { runtimeSchema } from '../../../src/detect/package/runtime.js'
import { sealPackage } from '../../../src/lab/import/seal-package.js'
import { DetectorBench } from '../../support/detector-bench.js'
import { writeEncodedPackage, writeEncoderPackage } from '../../support/detector-encoded.js'
import { TINY_BIAS, TINY_WEIGHTS } from '../../support/detector-package.js'
import { tinyOnnx } from '../../support/detector-tiny-onnx.js'
import { ModelServer } from '../../support/model-server.js'
import { withReason } from '../../support/with-reason.js'

const EXAMPLES = packagePath('config', 'detectors')
const example = (kind: string) => fs.readFile(path.join(EXAMPLES, `${kind}.json`), 'utf8')
const kinds = runtimeSchema.options.map(({ shape }) => shape.kind.value)

describe('the example of each runtime', () => {
  const bench = DetectorBench.forAll()
  let server: ModelServer
  let fileServer: ChildProcess
  /** Addresses of the examples, and those of the servers of this test. */
  let urls: readonly (readonly [string, string])[]
  const at = (...names: string[]) => path.join(bench.modelsDir, ...names)
  const copy = (from: string, to: string) => fs.cp(from, to, { recursive: true })
  const sample = (name: string) => packagePath('samples', name)

  beforeAll(async () => {
    server = await ModelServer.start()
    fileServer = spawn(process.execPath, [path.join(EXAMPLES, 'server.mjs'), '0'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [line] = await once(fileServer.stdout!, 'data')
    urls = [
      ['http://127.0.0.1:8000', server.url],
      ['http://127.0.0.1:8001', String(line).trim()],
    ]
    for (const kind of kinds) {
      await fs.mkdir(at(`example-${kind}`))
      const text = urls.reduce((text, [stated, here]) => text.replace(stated, here), await example(kind))
      await fs.writeFile(at(`example-${kind}`, MANIFEST_FILE), text)
    }
    await fs.writeFile(at('example-onnx', 'model.onnx'), tinyOnnx(TINY_WEIGHTS, TINY_BIAS))
    for (const kind of ['onnx', 'onnx-views', 'remote', 'remote-file'])
      await copy(sample('coffee.jpg'), at(`example-${kind}`, 'sample.jpg'))
    const encoder = await writeEncoderPackage(bench.folder)
    await copy(path.join(encoder, 'whole.onnx'), at('example-onnx-views', 'whole.onnx'))
    const encoded = await writeEncodedPackage(bench.folder)
    for (const name of ['view.onnx', 'model.onnx'])
      await copy(path.join(encoded, name), at('example-onnx-encoded', name))
    await copy(path.join(encoded, 'selftest.wav'), at('example-onnx-encoded', 'sample.wav'))
    await copy(sample('cafe-review.txt'), at('example-module', 'sample.txt'))
    const main = 'export const createDetector = () => ({ measure: async () => ({ logit: 3 }) })\n'
    await fs.writeFile(at('example-module', 'main.mjs'), main)
    await copy(packagePath('test', 'fixtures', 'video', 'vp8.webm'), at('example-composed', 'sample.webm'))
  })
  afterAll(async () => {
    await server.close()
    fileServer.kill()
    await once(fileServer, 'exit')
  })

  it('exists for every kind', async () => {
    const names = (await fs.readdir(EXAMPLES)).filter((name) => name.endsWith('.json') && !name.includes('schema'))
    expect(names.sort()).toEqual(kinds.map((kind) => `${kind}.json`).sort())
  })

  // In this order, because the later ones name the earlier ones.
  it.each(kinds)('%s is accepted, loads in a detector process, and its files and risk are as stated', async (kind) => {
    const { manifest, changed } = await sealPackage(at(`example-${kind}`), null, {
      clock: systemClock,
      ffmpeg: null,
      cage: null,
      remoteToken: null,
      timeoutMs: 60_000,
      memoryBytes: 1e9,
      signal: new AbortController().signal,
    })
    expect(changed).toBe(false)
    expect({ ...manifest, runtime: {} }).toEqual({ ...parseManifest(await example(kind), kind), runtime: {} })
  })

  it('server.mjs gets the bytes of a file with their content type, scores them, and may abstain', async () => {
    const host = await bench.start({ detectors: [{ id: 'example-remote-file' }] })
    const bytes = await fs.readFile(sample('diffusion-cat.webp'))
    const mean = bytes.reduce((sum, byte) => sum + byte, 0) / bytes.length
    const found = await host.detect({ file: sample('diffusion-cat.webp'), mediaType: 'image' })
    expect(found.rawScore).toBeCloseTo((mean - 127.5) / 32, 6)
    expect(found.notes).toContain(`${bytes.length} bytes of image/webp`)
    await expect(host.detect({ file: sample('cafe-review.txt'), mediaType: 'image' })).rejects.toThrow(
      withReason('media-unsupported', 'text/plain; charset=utf-8 is no picture'),
    )
  })
})
