import net from 'node:net'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../../src/core/clock.js'
import type { ModelInput } from '../../../src/detect/contract/medium-reader.js'
import type { RemoteRuntime } from '../../../src/detect/package/runtime.js'
import { createRemoteModel } from '../../../src/detect/runtimes/remote-model.js'
import { tinyLogit } from '../../support/detector-package.js'
import { listen, portOf } from '../../support/local-server.js'
import { type Misbehavior, MODEL, ModelServer } from '../../support/model-server.js'
import { withReason } from '../../support/with-reason.js'

const color = { r: 60, g: 120, b: 180 }

/** One picture of one color as the tiny network takes it. */
function pixels(side = 8): ModelInput {
  const values = Float32Array.from(
    [color.r, color.g, color.b].flatMap((byte) => Array(side * side).fill((byte / 255 - 0.5) / 0.25)),
  )
  return { type: 'float32', values, shape: [1, 3, side, side] }
}

const remote = (url: string, change: Partial<RemoteRuntime> = {}): RemoteRuntime => ({
  kind: 'remote',
  url,
  model: MODEL,
  input: ['pixels'],
  output: 'logit',
  timeoutMs: 5000,
  maxReplyBytes: 4096,
  ...change,
})
const modelAt = (url: string, change: Partial<RemoteRuntime> = {}, token: string | null = null) =>
  createRemoteModel(remote(url, change), { id: 'far', width: 1, clock: systemClock, token })

let server: ModelServer
afterEach(() => server.close())

describe.each([
  ['JSON', false],
  ['binary tensors', true],
])('a server that takes %s', (_, binary) => {
  beforeEach(async () => {
    server = await ModelServer.start({ binary })
  })

  it('returns the number of the model, after reading its metadata once', async () => {
    const model = modelAt(server.url)
    const [first] = await model.run([pixels()])
    expect(first).toBeCloseTo(tinyLogit(color), 5)
    expect(await model.run([pixels()])).toEqual(Float32Array.of(first as number))
    expect(server.asked.map(({ method, path, binary: raw }) => `${method} ${path}${raw ? ' raw' : ''}`)).toEqual([
      'GET /v2/models/tiny/ready',
      'GET /v2/models/tiny',
      'GET /v2',
      ...Array(2).fill(`POST /v2/models/tiny/infer${binary ? ' raw' : ''}`),
    ])
  })

  it('returns the same bits as the other encoding', async () => {
    const values = Float32Array.from({ length: 192 }, (_, index) => Math.fround(Math.sin(index) / 3))
    const input = { type: 'float32', values, shape: [1, 3, 8, 8] } as const
    const other = await ModelServer.start({ binary: !binary })
    const scores = [await modelAt(server.url).run([input]), await modelAt(other.url).run([input])]
    await other.close()
    expect(scores[0]).toEqual(scores[1])
  })

  it('gets the token with every request, or none', async () => {
    await modelAt(server.url, {}, 'secret-token').run([pixels()])
    expect(new Set(server.asked.map(({ authorization }) => authorization))).toEqual(new Set(['Bearer secret-token']))
    await modelAt(server.url).run([pixels()])
    expect(server.asked.at(-1)?.authorization).toBeUndefined()
  })
})

describe('a faulty model server', () => {
  beforeEach(async () => {
    server = await ModelServer.start()
  })
  const body = (text: string | Buffer, headers?: Record<string, string>): Misbehavior => ({
    kind: 'body',
    body: text,
    ...(headers ? { headers } : {}),
  })

  it.each<[string, Misbehavior, string, RegExp]>([
    ['is silent', { kind: 'silent' }, 'detector-unreachable', /did not answer within 300 ms/],
    ['cuts the connection', { kind: 'cut' }, 'detector-unreachable', /cannot be reached/],
    [
      'fails',
      { kind: 'status', status: 500, text: '{"error":"out of memory"}' },
      'detector-unreachable',
      /500: .*out of memory/,
    ],
    ['is overloaded', { kind: 'status', status: 429 }, 'detector-unreachable', /429/],
    ['refuses the input', { kind: 'status', status: 400, text: 'wrong shape' }, 'detector-failed', /400: wrong shape/],
    [
      'redirects',
      { kind: 'status', status: 307, location: 'http://127.0.0.1:9/' },
      'detector-failed',
      /redirects are not followed/,
    ],
    ['never ends', { kind: 'endless' }, 'detector-failed', /more than 4096 bytes/],
    ['answers with a page', body('<html>'), 'detector-failed', /it is not JSON/],
    [
      'lies about its JSON',
      body('{"outputs":[]}', { 'inference-header-content-length': '9999' }),
      'detector-failed',
      /length of its JSON/,
    ],
  ])('%s', async (_, misbehavior, reason, message) => {
    server.misbehavior = misbehavior
    const model = modelAt(server.url, misbehavior.kind === 'silent' ? { timeoutMs: 300 } : {})
    await expect(model.run([pixels()])).rejects.toThrow(withReason(reason, message))
    server.misbehavior = null
    await expect(model.run([pixels()])).resolves.toHaveLength(1)
  })

  it('that never completes a connection is given up within its time limit', async () => {
    const silent = await listen(net.createServer())
    onTestFinished(() => void silent.close())
    const model = modelAt(`https://127.0.0.1:${portOf(silent)}`, { timeoutMs: 300 })
    await expect(model.run([pixels()])).rejects.toMatchObject({ message: /did not answer within 300 ms/ })
  })

  it('is asked for its metadata again after it was not ready', async () => {
    server.ready = false
    const model = modelAt(server.url)
    await expect(model.run([pixels()])).rejects.toThrow(withReason('detector-unreachable', /503/))
    server.ready = true
    await expect(model.run([pixels()])).resolves.toHaveLength(1)
  })

  it('is refused with another model', async () => {
    server.metadata = { ...(server.metadata as object), inputs: [{ name: 'image', datatype: 'FP32' }] }
    await expect(modelAt(server.url).run([pixels()])).rejects.toThrow(
      withReason('manifest-invalid', 'runtime.input: is pixels, but the model has image'),
    )
  })

  it('without the model, of another protocol or missing is named as such', async () => {
    await expect(modelAt(server.url, { model: 'absent' }).run([pixels()])).rejects.toThrow(
      withReason('detector-unreachable', /404.*no such model/),
    )
    server.metadata = 'nothing'
    await expect(modelAt(server.url).run([pixels()])).rejects.toThrow(
      withReason('detector-failed', /does not speak the Open Inference Protocol/),
    )
    const { url } = server
    await server.close()
    const error = await modelAt(url, {}, 'secret-token')
      .run([pixels()])
      .catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ reason: 'detector-unreachable', message: expect.stringMatching(/ECONNREFUSED/) })
    expect(String(error)).not.toContain('secret-token')
    server = await ModelServer.start()
  })
})
