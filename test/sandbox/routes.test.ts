import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Sandbox } from '../../src/sandbox/create-sandbox.js'
import { ManualClock } from '../support/manual-clock.js'
import { startSandbox } from '../support/sandbox.js'
import { type RawReply, REGISTRATION, send, sendSigned } from '../support/sandbox-requests.js'

const NOW = Date.UTC(2026, 0, 1)
const HASH = `0x${'Ab'.repeat(32)}`
const MEDIA = '/api/v1/attester/media'

// The rules of the service's document are checked by test/conformance; here is what the sandbox adds to them.

let sandbox: Sandbox
let clock: ManualClock

beforeAll(async () => {
  clock = new ManualClock(NOW)
  sandbox = await startSandbox({ clock, rateLimit: null })
})
afterAll(() => sandbox.close())
beforeEach(() => sandbox.control.reset())

const attester = (method: string, target: string, body?: unknown) =>
  sendSigned(sandbox.url, sandbox.attesterKey, { method, target, ...textOf(body) }, { timestamp: clock.now() })
const submitter = (body: unknown) =>
  sendSigned(
    sandbox.url,
    sandbox.submitterKey,
    { method: 'POST', target: '/api/v1/submitter/media', ...textOf(body) },
    { timestamp: clock.now() },
  )
const textOf = (body: unknown) =>
  body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }
const outcome = (reply: RawReply) => [reply.status, reply.json?.error?.code]
const newAsset = (content = 'some bytes') => sandbox.registerFile('file.png', { content: Buffer.from(content) })

it('paths that are unknown or malformed give a named error', async () => {
  expect(outcome(await send(sandbox.url, { method: 'GET', target: '/api/v1/nothing' }))).toEqual([404, 'route-unknown'])
  expect(outcome(await send(sandbox.url, { method: 'GET', target: '/api/v1/%zz' }))).toEqual([400, 'body-invalid'])
})

describe('list and single asset', () => {
  it("do not show another wallet's score as the own one", async () => {
    const asset = await newAsset()
    await attester('POST', `${MEDIA}/${asset.id}/scores`, { deepfakeRiskScore: 1, algorithm: 'a' })
    const other = sandbox.control.createKey({ kind: 'attester' })
    const target = `${MEDIA}?includeMyScore=1`
    const reply = await sendSigned(sandbox.url, other, { method: 'GET', target }, { timestamp: NOW })
    expect(reply.json.assets[0]).not.toHaveProperty('myScore')
  })

  it.each(['abc', '1.5', '1&includeMyScore=2'])('refuse includeMyScore=%s', async (value) => {
    expect(outcome(await attester('GET', `${MEDIA}?includeMyScore=${value}`))).toEqual([400, 'request-invalid'])
  })
})

describe('score', () => {
  const good = { deepfakeRiskScore: 50, algorithm: 'a' }

  it('is answered with the aggregate of the asset; unknown fields are ignored', async () => {
    const asset = await newAsset()
    const reply = await attester('POST', `${MEDIA}/${asset.id}/scores`, { ...good, somethingElse: 1 })
    expect(reply.json.aggregate).toEqual({ scoreCount: 1, meanRiskScore: 50, minRiskScore: 50, maxRiskScore: 50 })
    expect(sandbox.scores()).toHaveLength(1)
  })

  it.each<[string, unknown, string]>([
    ['is infinite', '{"deepfakeRiskScore":1e999,"algorithm":"a"}', 'request-invalid'],
    ['has notes that are too long', { ...good, notes: 'x'.repeat(10_001) }, 'request-invalid'],
    ['is an array', [good], 'request-invalid'],
    ['is not JSON', '{"deepfakeRiskScore":', 'body-invalid'],
    ['is empty', '', 'body-invalid'],
    ['poisons a prototype', '{"__proto__":{"x":1},"deepfakeRiskScore":1,"algorithm":"a"}', 'body-invalid'],
    ['poisons a constructor', '{"constructor":{"prototype":{}},"deepfakeRiskScore":1,"algorithm":"a"}', 'body-invalid'],
  ])('is refused where the body %s', async (_name, body, code) => {
    const asset = await newAsset()
    expect(outcome(await attester('POST', `${MEDIA}/${asset.id}/scores`, body))).toEqual([400, code])
    expect(sandbox.scores()).toEqual([])
  })

  it('is refused where the body is not UTF-8', async () => {
    const asset = await newAsset()
    const body = Buffer.from('{"deepfakeRiskScore":1,"algorithm":"\xe9"}', 'latin1')
    const request = { method: 'POST', target: `${MEDIA}/${asset.id}/scores`, body }
    const reply = await sendSigned(sandbox.url, sandbox.attesterKey, request, { timestamp: NOW })
    expect(outcome(reply)).toEqual([400, 'body-invalid'])
  })

  it('is refused where the body is too large or no JSON type', async () => {
    const asset = await newAsset()
    const target = `${MEDIA}/${asset.id}/scores`
    expect(outcome(await attester('POST', target, { ...good, notes: 'x'.repeat(70_000) }))).toEqual([
      413,
      'body-too-large',
    ])
    const headers = { 'content-type': 'text/plain' }
    const request = { method: 'POST', target, body: JSON.stringify(good), headers }
    const reply = await sendSigned(sandbox.url, sandbox.attesterKey, request, { timestamp: NOW })
    expect(outcome(reply)).toEqual([415, 'media-type-unsupported'])
  })

  it.each(['attesterAddress', 'attester', 'address', 'wallet'])('is refused for another %s', async (field) => {
    const asset = await newAsset()
    const target = `${MEDIA}/${asset.id}/scores`
    const other = { ...good, [field]: `0x${'1'.repeat(40)}` }
    expect(outcome(await attester('POST', target, other))).toEqual([403, 'attester-address-mismatch'])
    const own = { ...good, [field]: sandbox.attesterKey.wallet.toUpperCase().replace('0X', '0x') }
    expect((await attester('POST', target, own)).status).toBe(200)
  })
})

describe('register', () => {
  const good = { ...REGISTRATION, contentHash: HASH, verificationDeadline: '2026-01-01T00:00:01Z' }

  it('keeps a hash in lower case', async () => {
    expect((await submitter(good)).json.asset).toMatchObject({ contentHash: HASH.toLowerCase(), scoreCount: 0 })
  })

  it.each([
    ['200 characters of context', { mediaContext: 'é'.repeat(200) }],
    ['200 characters outside the basic plane', { mediaContext: '🙂'.repeat(200) }],
    ['a deadline with an offset', { verificationDeadline: '2026-01-01T05:00:01+05:00' }],
  ])('accepts %s', async (_name, change) => {
    expect((await submitter({ ...good, ...change })).status).toBe(201)
  })

  it.each([
    ['a deadline that is now', { verificationDeadline: '2026-01-01T00:00:00Z' }],
    ['a deadline without a zone', { verificationDeadline: '2026-01-02T00:00:00' }],
    ['a deadline that is no date', { verificationDeadline: '2026-02-30T00:00:00Z' }],
    ['a deadline that is a number', { verificationDeadline: NOW + 1_000 }],
  ])('refuses %s', async (_name, change) => {
    expect(outcome(await submitter({ ...good, ...change }))).toEqual([400, 'request-invalid'])
    expect(sandbox.world.assets.all()).toEqual([])
  })
})

describe('dashboard keys', () => {
  const target = '/api/dashboard/api-keys'
  const dashboard = (method: string, path: string, body?: unknown, token = sandbox.sessionToken) =>
    send(sandbox.url, {
      method,
      target: path,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...textOf(body),
    })

  it('refuse an empty label', async () => {
    expect(outcome(await dashboard('POST', target, { kind: 'attester', label: '' }))).toEqual([400, 'request-invalid'])
  })
})
