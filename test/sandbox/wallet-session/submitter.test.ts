import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { uploadFile } from '../../support/sandbox-requests.js'
import { refusal, registration, SessionBench } from './session-bench.js'

// The rules of the service's document are checked by test/conformance; here is what the sandbox adds to them.

const LIMIT = 300_000

const bench = SessionBench.forAll({ uploadLimitBytes: LIMIT })
let token: string
beforeAll(async () => {
  token = await bench.token('submitter')
})

describe('POST /v1/media/upload', () => {
  const upload = (content: string | Uint8Array, field = 'file') =>
    uploadFile(bench.sandbox.url, { target: '/v1/media/upload', token, content, field })

  it('returns hash and uri of the whole file, and the gateway has it', async () => {
    const content = Buffer.alloc(LIMIT, 'media')
    const { status, json } = await upload(content)
    expect([status, json]).toEqual([
      200,
      {
        contentHash: `0x${createHash('sha256').update(content).digest('hex')}`,
        uri: `ipfs://${json.cid}`,
        cid: expect.any(String),
        bytes: LIMIT,
      },
    ])
    expect((await bench.call('GET', `/ipfs/${json.cid}?format=car`)).status).toBe(200)
  })

  it.each([
    ['one byte', LIMIT + 1],
    ['megabytes', LIMIT + 8_000_000],
  ])('refuses a file that is %s over the limit with a sentence, and keeps none of it', async (_name, size) => {
    const content = Buffer.alloc(size, 'media')
    const { status, json } = await upload(content)
    expect([status, json]).toEqual([413, { error: `A file may have at most ${LIMIT} bytes.` }])
  })

  it.each([
    ['another field', () => upload('x', 'picture'), 'The field of the file must be named file.'],
    ['an empty file', () => upload(''), 'The file is empty.'],
  ])('refuses %s', async (_name, act, text) => {
    const { status, json } = await act()
    expect([status, json.error]).toEqual([400, text])
  })
})

describe('POST /v1/assets', () => {
  const register = (changes: Record<string, unknown>) =>
    bench.call('POST', '/v1/assets', { token, body: registration(bench.submitter.address, changes) })

  it('returns the asset, which is open from then on, also on the other API', async () => {
    const body = registration(bench.submitter.address)
    const { status, json } = await bench.call('POST', '/v1/assets', { token, body })
    const { ownerAddress, ...stated } = body
    expect(status).toBe(201)
    expect(json.asset).toEqual({
      ...stated,
      id: expect.stringMatching(/^ast_/),
      ownerAddress: ownerAddress.toLowerCase(),
      status: 'open',
      scoreCount: 0,
      turnaround: 'standard',
      contentType: 'auto',
      createdAt: new Date(bench.clock.now()).toISOString(),
    })
    expect(bench.sandbox.world.assets.open().map(({ id }) => id)).toEqual([json.asset.id])
  })

  it.each([
    ['an owner that is no address', { ownerAddress: '0x12' }, '/ownerAddress'],
    ['an empty title', { title: '' }, '/title'],
    ['a title too long', { title: 'x'.repeat(501) }, '/title'],
    ['an empty uri', { uri: '' }, '/uri'],
    ['a deadline now', { verificationDeadline: '2026-01-01T00:00:00Z' }, '/verificationDeadline must be in the future'],
  ])('refuses %s', async (_name, changes, text) => {
    expect(refusal(await register(changes))).toEqual([400, expect.stringContaining(text)])
    expect(bench.sandbox.world.assets.all()).toEqual([])
  })
})
