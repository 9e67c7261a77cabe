import { createHmac } from 'node:crypto'
import type { Hex } from 'viem'
import { hashMessage } from 'viem'
import { privateKeyToAccount, sign } from 'viem/accounts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { NOW, refusal, SessionBench, STRANGER } from './session-bench.js'

/** Order of secp256k1. Source: SEC 2. */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const MINUTE = 60_000
const SECRET = 'a session secret for tests'

const UNKNOWN = [401, 'The challenge is unknown or was already used: ask for a new one.']
const EXPIRED = [401, 'The challenge has expired: ask for a new one.']
const WRONG = [401, 'The signature is not that of the challenge by its address.']

let bench: SessionBench

beforeAll(async () => {
  bench = await SessionBench.start({ sessionSecret: SECRET })
})
afterAll(() => bench.close())
beforeEach(() => bench.sandbox.control.reset())

it('health is public', async () => {
  const { status, json } = await bench.call('GET', '/health')
  expect([status, json]).toEqual([200, { ok: true }])
})

describe('a challenge', () => {
  it('is a Sign-In with Ethereum text of this service, address, chain and time', async () => {
    const { status, json, headers } = await bench.challenge(bench.attester.address.toLowerCase())
    const { host } = new URL(bench.sandbox.url)
    expect([status, headers['cache-control']]).toEqual([200, 'no-store'])
    expect(json.expiresAt).toBe(Math.floor((bench.clock.now() + 5 * MINUTE) / 1000))
    expect(json.message.split('\n')).toEqual([
      `${host} wants you to sign in with your Ethereum account:`,
      bench.attester.address,
      '',
      'Open a session of the media verification service. This signature moves nothing and costs nothing.',
      '',
      `URI: http://${host}`,
      'Version: 1',
      'Chain ID: 84532',
      `Nonce: ${json.nonce}`,
      `Issued At: ${new Date(bench.clock.now()).toISOString()}`,
      `Expiration Time: ${new Date(bench.clock.now() + 5 * MINUTE).toISOString()}`,
    ])
    expect(json.nonce).toMatch(/^[0-9a-f]{32}$/)
  })

  it('names the host that was asked', async () => {
    const target = `/v1/auth/challenge?address=${STRANGER.address}`
    const { json } = await bench.call('GET', target, { headers: { host: 'sandbox:8080' } })
    expect(json.message).toMatch(/^sandbox:8080 wants you/)
  })

  it('has another nonce each time', async () => {
    const replies = await Promise.all(Array.from({ length: 8 }, () => bench.challenge(STRANGER.address)))
    expect(new Set(replies.map(({ json }) => json.nonce)).size).toBe(8)
  })

  it.each([
    ['no address', ''],
    ['half an address', '?address=0x12'],
    ['a name', '?address=vitalik.eth'],
    ['two addresses', `?address=${STRANGER.address}&address=${STRANGER.address}`],
  ])('is refused to %s', async (_name, query) => {
    const reply = await bench.call('GET', `/v1/auth/challenge${query}`)
    expect(refusal(reply)).toEqual([400, expect.stringContaining('/address')])
  })

  it.each(['a b', 'x'.repeat(300), 'evil\\x'])('is refused to the host %j', async (host) => {
    const target = `/v1/auth/challenge?address=${STRANGER.address}`
    const reply = await bench.call('GET', target, { headers: { host } })
    expect(refusal(reply)).toEqual([400, expect.stringContaining('host')])
  })
})

describe('a session', () => {
  it.each(['attester', 'submitter'] as const)('of the %s has the role that the contract says', async (role) => {
    const { status, json, headers } = await bench.signIn(bench[role])
    expect([status, headers['cache-control']]).toEqual([200, 'no-store'])
    expect(json).toEqual({
      token: expect.any(String),
      expiresAt: Math.ceil((bench.clock.now() + 60 * MINUTE) / 1000),
      address: bench[role].address.toLowerCase(),
      roles: [role],
    })
  })

  it('is not made after the challenge expired', async () => {
    const { message, nonce } = (await bench.challenge(bench.attester.address)).json
    const signature = await bench.attester.signMessage({ message })
    bench.clock.tick(5 * MINUTE)
    expect(refusal(await bench.session(nonce, signature))).toEqual(EXPIRED)
  })

  it('is made in the last moment of the challenge', async () => {
    const { message, nonce } = (await bench.challenge(bench.attester.address)).json
    const signature = await bench.attester.signMessage({ message })
    bench.clock.tick(5 * MINUTE - 1)
    expect((await bench.session(nonce, signature)).status).toBe(200)
  })

  it('takes no signature of another wallet or text, and the challenge is used up', async () => {
    const { message, nonce } = (await bench.challenge(bench.attester.address)).json
    expect(refusal(await bench.session(nonce, await bench.submitter.signMessage({ message })))).toEqual(WRONG)
    expect(refusal(await bench.session(nonce, await bench.attester.signMessage({ message })))).toEqual(UNKNOWN)
    const next = (await bench.challenge(bench.attester.address)).json
    expect(refusal(await bench.session(next.nonce, await bench.attester.signMessage({ message })))).toEqual(WRONG)
  })

  it('takes no signature whose s is high', async () => {
    const { message, nonce } = (await bench.challenge(bench.attester.address)).json
    const { privateKey } = bench.sandbox.wallets.attester
    const { r, s, v } = await sign({ hash: hashMessage(message), privateKey })
    const high = (ORDER - BigInt(s)).toString(16).padStart(64, '0')
    const twin = `${r}${high}${v === 27n ? '1c' : '1b'}`
    expect(refusal(await bench.session(nonce, twin))).toEqual(WRONG)
  })

  it.each([
    ['r and s of nothing', `0x${'00'.repeat(64)}1b`],
    ['a v that is none', `0x${'11'.repeat(64)}99`],
  ])('takes no signature with %s', async (_name, signature) => {
    const { nonce } = (await bench.challenge(bench.attester.address)).json
    expect(refusal(await bench.session(nonce, signature))).toEqual(WRONG)
  })

  it.each([
    ['an unknown nonce', { nonce: 'f'.repeat(32), signature: `0x${'11'.repeat(65)}` }, UNKNOWN],
    ['no nonce', { signature: `0x${'11'.repeat(65)}` }, [400, expect.stringContaining('/nonce')]],
    ['no signature', { nonce: 'x' }, [400, expect.stringContaining('/signature')]],
    ['a short signature', { nonce: 'x', signature: '0x1234' }, [400, expect.stringContaining('/signature')]],
    ['no object', '[]', [400, expect.any(String)]],
    ['no JSON', '{"nonce":', [400, expect.any(String)]],
    ['a poisoned key', '{"__proto__":{},"nonce":"x"}', [400, expect.any(String)]],
  ])('is refused to %s', async (_name, body, expected) => {
    expect(refusal(await bench.call('POST', '/v1/auth/session', { body }))).toEqual(expected)
  })

  it('is refused where the body is no JSON by its type, or too large', async () => {
    const headers = { 'content-type': 'text/plain' }
    expect((await bench.call('POST', '/v1/auth/session', { body: '{}', headers })).status).toBe(415)
    expect((await bench.call('POST', '/v1/auth/session', { body: ' '.repeat(70_000) })).status).toBe(413)
  })
})

describe('a token', () => {
  const open = (token: string, on = bench) => on.call('GET', '/v1/assets/open', { token })
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const madeWith = (secret: string, header: object, claims: object) => {
    const text = `${part(header)}.${part(claims)}`
    return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
  }
  const HEADER = { alg: 'HS256', typ: 'JWT' }
  const claims = () => ({
    sub: bench.attester.address.toLowerCase(),
    roles: ['attester'],
    iat: NOW / 1000,
    exp: 2_000_000_000,
  })

  it('is a JSON Web Token signed with the configured secret', async () => {
    expect((await open(madeWith(SECRET, HEADER, claims()))).status).toBe(200)
    const [header, payload] = (await bench.token('attester')).split('.').map((text) => Buffer.from(text, 'base64url'))
    expect(JSON.parse(String(header))).toEqual(HEADER)
    expect(JSON.parse(String(payload))).toMatchObject({ sub: claims().sub, roles: ['attester'] })
  })

  it('is good for its lifetime and no longer', async () => {
    const { token, expiresAt } = (await bench.signIn(bench.attester)).json
    bench.clock.tick(expiresAt * 1000 - bench.clock.now() - 1)
    expect((await open(token)).status).toBe(200)
    bench.clock.tick(1)
    expect(refusal(await open(token))).toEqual([401, 'The session has expired.'])
  })

  it.each([
    ['of another secret', () => madeWith('another secret of tests', HEADER, claims())],
    ['that says it needs no signature', () => `${part({ alg: 'none', typ: 'JWT' })}.${part(claims())}.`],
    ['of another algorithm', () => madeWith(SECRET, { alg: 'HS512', typ: 'JWT' }, claims())],
    ['with a fourth part', () => `${madeWith(SECRET, HEADER, claims())}.x`],
    ['with a spoiled signature', () => `${madeWith(SECRET, HEADER, claims()).slice(0, -2)}AA`],
    ['that is none', () => 'none'],
    ['of the dashboard', () => bench.sandbox.sessionToken],
    ['without an end', () => madeWith(SECRET, HEADER, { ...claims(), exp: undefined })],
    ['with an unknown role', () => madeWith(SECRET, HEADER, { ...claims(), roles: ['admin'] })],
    ['without claims', () => madeWith(SECRET, HEADER, [])],
  ])('%s is refused', async (_name, token) => {
    expect(refusal(await open(token()))).toEqual([401, 'The session token is not of this service.'])
  })

  it('keeps the roles of its creation', async () => {
    const wallet = privateKeyToAccount(`0x${'22'.repeat(32)}` as Hex)
    bench.sandbox.registry.setRoles(wallet.address, { attester: true, submitter: false })
    const { token } = (await bench.signIn(wallet)).json
    bench.sandbox.registry.setRoles(wallet.address, { attester: false, submitter: false })
    expect((await open(token)).status).toBe(200)
    expect((await bench.signIn(wallet)).status).toBe(403)
  })
})
