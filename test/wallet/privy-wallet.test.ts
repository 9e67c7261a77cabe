import { generateKeyPairSync } from 'node:crypto'
import { recoverMessageAddress, recoverTypedDataAddress, zeroAddress } from 'viem'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../src/core/clock.js'
import { AttestdError } from '../../src/core/errors.js'
import { type OpenSignerOptions, openSigner, type WalletChoice } from '../../src/wallet/open-signer.js'
import { ManualClock } from '../support/manual-clock.js'
import { type PrivyFault, PrivyStub } from '../support/privy-stub.js'
import { TYPED_DATA } from './typed-data.js'

const MESSAGE = 'a text that no error may hold'

let stub: PrivyStub
beforeEach(async () => {
  stub = await PrivyStub.start()
})
afterEach(() => stub.close())

type PrivyChoice = Extract<WalletChoice, { kind: 'privy' }>

function open(own: Partial<PrivyChoice> = {}, options: Partial<OpenSignerOptions> = {}) {
  const { address, appId, appSecret, authorizationKey, url: apiUrl, walletId } = stub
  const choice = {
    kind: 'privy',
    appId,
    appSecret,
    walletId,
    authorizationKey,
    apiUrl,
    timeoutMs: 20_000,
    address,
  } as const
  return openSigner({ ...choice, ...own }, { clock: systemClock, ...options })
}

/** What signing failed with, after a look that it and its causes hold no secret. */
async function failure(signing: Promise<unknown>): Promise<AttestdError> {
  const error = await signing.then(
    () => expect.unreachable('it signed'),
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(AttestdError)
  const basic = Buffer.from(`${stub.appId}:${stub.appSecret}`).toString('base64')
  for (let one: unknown = error; one instanceof Error; one = one.cause) {
    const text = `${one.stack} ${JSON.stringify(one)} ${JSON.stringify((one as AttestdError).facts)}`
    for (const secret of [stub.appSecret, basic, stub.authorizationKey!.slice(-40), MESSAGE]) {
      expect(text).not.toContain(secret)
    }
  }
  return error as AttestdError
}

describe('a wallet at Privy', () => {
  it('signs texts, bytes and typed data with bigints, over authorized requests', async () => {
    const signer = await open()
    for (const message of [MESSAGE, 'ünïcode ✓', { raw: '0x00ff10' }, { raw: new Uint8Array([1, 2, 3]) }] as const) {
      const signature = await signer.signMessage({ message })
      expect(await recoverMessageAddress({ message, signature })).toBe(stub.address)
    }
    const signature = await signer.signTypedData(TYPED_DATA)
    expect(await recoverTypedDataAddress({ ...TYPED_DATA, signature })).toBe(stub.address)
    expect(stub.requests.map(({ refused }) => refused)).toEqual([null, null, null, null, null])
    expect([...new Set(stub.requests.map(({ method }) => method))]).toEqual(['personal_sign', 'eth_signTypedData_v4'])
  })

  it('sends nothing before the first signature', async () => {
    await open()
    expect(stub.requests).toEqual([])
  })

  it('works without an authorization key where the wallet needs none', async () => {
    const plain = await PrivyStub.start({ authorization: false })
    onTestFinished(() => plain.close())
    const { address, appId, appSecret, url: apiUrl, walletId } = plain
    const choice = { kind: 'privy', appId, appSecret, walletId, apiUrl, timeoutMs: 20_000, address } as const
    const signer = await openSigner(choice, { clock: systemClock })
    expect(await signer.signMessage({ message: MESSAGE })).toMatch(/^0x[0-9a-f]{130}$/)
  })

  it('parallel signatures belong to their own texts', async () => {
    const signer = await open()
    const messages = Array.from({ length: 8 }, (_, index) => `text ${index}`)
    const signatures = await Promise.all(messages.map((message) => signer.signMessage({ message })))
    for (const [index, signature] of signatures.entries()) {
      expect(await recoverMessageAddress({ message: messages[index]!, signature })).toBe(stub.address)
    }
  })
})

describe('wrong credentials', () => {
  const otherKey = () => {
    const der = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'der' })
    return `wallet-auth:${der.toString('base64')}`
  }
  it.each<[string, () => Partial<PrivyChoice>]>([
    ['the secret', () => ({ appSecret: 'another' })],
    ['the app', () => ({ appId: 'another' })],
    ['the wallet', () => ({ walletId: 'another' })],
    ['the authorization key', () => ({ authorizationKey: otherKey() })],
    ['no authorization key', () => ({ authorizationKey: undefined })],
  ])('%s: refused, by name', async (_, own) => {
    const signer = await open(own())
    const error = await failure(signer.signMessage({ message: MESSAGE }))
    expect(error).toMatchObject({ reason: 'wallet-refused', facts: { status: 401 } })
    expect(stub.requests.every(({ refused }) => refused !== null)).toBe(true)
  })

  it('an invalid authorization key is refused, and not repeated', async () => {
    const error = await failure(
      open({ authorizationKey: `wallet-auth:${Buffer.from('not a key').toString('base64')}` }),
    )
    expect(error).toMatchObject({ reason: 'wallet-unusable' })
    expect(error).not.toHaveProperty('cause')
  })

  it('plain http is for this machine only', async () => {
    expect(await failure(open({ apiUrl: 'http://privy.example' }))).toMatchObject({ reason: 'wallet-unusable' })
  })

  it('signatures of another address are not used', async () => {
    const signer = await open({ address: zeroAddress })
    expect(await failure(signer.signMessage({ message: MESSAGE }))).toMatchObject({ reason: 'signature-wrong' })
  })
})

describe('failures at Privy', () => {
  const status = (code: number, own = {}): PrivyFault => ({ kind: 'status', status: code, ...own })
  it.each<[string, PrivyFault, object]>([
    ['429', status(429), { reason: 'wallet-rate-limited', retryAfterMs: 10_000 }],
    ['429 with Retry-After', status(429, { retryAfter: '7' }), { reason: 'wallet-rate-limited', retryAfterMs: 7000 }],
    ['400', status(400), { reason: 'wallet-refused' }],
    ['401', status(401), { reason: 'wallet-refused' }],
    [
      '403',
      status(403, { code: 'policy_violation' }),
      { reason: 'wallet-refused', facts: { code: 'policy_violation' } },
    ],
    ['404', status(404), { reason: 'wallet-refused' }],
    ['408', status(408), { reason: 'wallet-unreachable' }],
    ['500', status(500), { reason: 'wallet-unreachable' }],
    ['503', status(503, { retryAfter: '3' }), { reason: 'wallet-unreachable', retryAfterMs: 3000 }],
    ['a redirect', status(307, { location: '/elsewhere' }), { reason: 'wallet-refused', facts: { status: 307 } }],
    ['an error that repeats what was sent', status(403, { repeats: true }), { reason: 'wallet-refused' }],
    ['a cut connection', { kind: 'cut' }, { reason: 'wallet-unreachable' }],
    ['an answer without end', { kind: 'endless' }, { reason: 'wallet-unreachable' }],
    ['a page', { kind: 'garbage', body: '<html>' }, { reason: 'wallet-unreachable' }],
    ['nothing', { kind: 'garbage', body: '' }, { reason: 'wallet-unreachable' }],
    ['JSON without a signature', { kind: 'garbage', body: '{"data":{}}' }, { reason: 'wallet-unreachable' }],
    [
      'a signature that is none',
      { kind: 'garbage', body: '{"data":{"signature":"0x"}}' },
      { reason: 'signature-wrong' },
    ],
    ['a signature of another key', { kind: 'wrong-signature' }, { reason: 'signature-wrong' }],
    ['a signature in the upper half', { kind: 'high-s' }, { reason: 'signature-wrong' }],
  ])('%s', async (_, fault, expected) => {
    const signer = await open()
    stub.setFault(fault)
    for (const sign of [() => signer.signMessage({ message: MESSAGE }), () => signer.signTypedData(TYPED_DATA)]) {
      expect(await failure(sign())).toMatchObject(expected)
    }
    // One request each: trying again is the queue's.
    expect(stub.requests).toHaveLength(2)
    stub.setFault(null)
    expect(await signer.signMessage({ message: MESSAGE })).toMatch(/^0x/)
  })

  it('no answer: given up after the time limit', async () => {
    const clock = new ManualClock()
    const signer = await open({ timeoutMs: 5000 }, { clock })
    stub.setFault({ kind: 'hang' })
    const signing = failure(signer.signMessage({ message: MESSAGE }))
    await expect.poll(() => stub.requests.length).toBe(1)
    await clock.advance(5000)
    const error = await signing
    expect(error).toMatchObject({ reason: 'wallet-unreachable' })
    expect(error.message).toContain('5000 ms')
    expect(clock.sleeping).toBe(0)
  })

  it('a slow answer is waited for', async () => {
    const clock = new ManualClock()
    const signer = await open({}, { clock })
    stub.setFault({ kind: 'slow', ms: 20 })
    expect(await signer.signMessage({ message: MESSAGE })).toMatch(/^0x/)
    expect(clock.sleeping).toBe(0)
  })

  it('nobody listens', async () => {
    const signer = await open()
    await stub.close()
    const error = await failure(signer.signMessage({ message: MESSAGE }))
    expect(error).toMatchObject({ reason: 'wallet-unreachable' })
    expect(error.message).toContain('ECONNREFUSED')
  })

  it('a stop ends a request with its own reason, and lets no other begin', async () => {
    const stop = new AbortController()
    const signer = await open({}, { signal: stop.signal })
    stub.setFault({ kind: 'hang' })
    const signing = failure(signer.signMessage({ message: MESSAGE }))
    await expect.poll(() => stub.requests.length).toBe(1)
    stop.abort(new AttestdError('draining'))
    expect(await signing).toMatchObject({ reason: 'draining' })
    expect(await failure(signer.signMessage({ message: MESSAGE }))).toMatchObject({ reason: 'draining' })
    expect(stub.requests).toHaveLength(1)
  })
})
