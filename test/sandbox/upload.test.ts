import { keccak_256 } from '@noble/hashes/sha3.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Sandbox } from '../../src/sandbox/create-sandbox.js'
import { startSandbox } from '../support/sandbox.js'
import { type RawReply, send, signatureHeaders } from '../support/sandbox-requests.js'

const TARGET = '/api/media/upload'
const LIMIT = 300_000

let sandbox: Sandbox

beforeAll(async () => {
  sandbox = await startSandbox({ uploadLimitBytes: LIMIT, clockOffsetMs: 3_600_000 })
})
afterAll(() => sandbox.close())

const outcome = (reply: RawReply) => [reply.status, reply.json?.error?.code]

async function multipart(content: Uint8Array<ArrayBuffer>) {
  const form = new FormData()
  form.set('file', new Blob([content]), 'name.png')
  const encoded = new Response(form)
  return { body: Buffer.from(await encoded.arrayBuffer()), type: encoded.headers.get('content-type') ?? '' }
}

async function upload(content: Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) {
  const { body, type } = await multipart(content)
  const authorization = `Bearer ${sandbox.sessionToken}`
  return send(sandbox.url, {
    method: 'POST',
    target: TARGET,
    body,
    headers: { 'content-type': type, authorization, ...headers },
  })
}

/** Signed over the raw multipart bytes. */
async function signedUpload(key: { accessKey: string; signingSecret: string }, change = (body: Buffer) => body) {
  const { body, type } = await multipart(Buffer.from('signed bytes \xff\x00', 'latin1'))
  const request = { method: 'POST', target: TARGET, body }
  const headers = { 'content-type': type, ...signatureHeaders(key, request, { timestamp: Date.now() + 3_600_000 }) }
  return send(sandbox.url, { ...request, body: change(body), headers })
}

describe('upload', () => {
  it('is refused where the signed body was changed', async () => {
    const spoiled = await signedUpload(sandbox.submitterKey, (body) => {
      const copy = Buffer.from(body)
      copy[copy.indexOf('signed')] = 0x53
      return copy
    })
    expect(outcome(spoiled)).toEqual([401, 'signature-invalid'])
  })

  it('is refused to others', async () => {
    const { body, type } = await multipart(Buffer.from('x'))
    const bare = await send(sandbox.url, { method: 'POST', target: TARGET, body, headers: { 'content-type': type } })
    expect(outcome(bare)).toEqual([401, 'credentials-missing'])
    expect(outcome(await upload(Buffer.from('x'), { authorization: 'Bearer no' }))).toEqual([401, 'session-invalid'])
    expect(outcome(await signedUpload(sandbox.attesterKey))).toEqual([403, 'key-kind-wrong'])
  })

  it.each([
    ['without a boundary', 'multipart/form-data', '--b\r\n'],
    [
      'cut short',
      'multipart/form-data; boundary=b',
      '--b\r\ncontent-disposition: form-data; name="file"; filename="f"\r\n\r\nx',
    ],
  ])('refuses a body %s', async (_name, type, body) => {
    const headers = { 'content-type': type, authorization: `Bearer ${sandbox.sessionToken}` }
    expect(outcome(await send(sandbox.url, { method: 'POST', target: TARGET, body, headers }))).toEqual([
      400,
      'body-invalid',
    ])
  })

  it('refuses what is no multipart', async () => {
    const reply = await upload(Buffer.from('x'), { 'content-type': 'application/json' })
    expect(outcome(reply)).toEqual([415, 'media-type-unsupported'])
  })
})

it('hashes by keccak256 where configured', async () => {
  const own = await startSandbox({ contentHash: 'keccak256' })
  const { contentHash } = await own.registerFile('f', { content: Buffer.from('hello') })
  await own.close()
  expect(contentHash).toBe(`0x${Buffer.from(keccak_256(Buffer.from('hello'))).toString('hex')}`)
})
