import { describe, expect, it } from 'vitest'
import { failure } from '../../support/failure.js'
import { REGISTRATION } from '../../support/sandbox-requests.js'
import { type Handler, sendJson } from '../local-service.js'
import { bench } from './local-wallet-service.js'

const HASH = `0x${'ab'.repeat(32)}`
const always = (value: unknown, status = 200): Handler => {
  return (_, response) => sendJson(response, status, value)
}

// The rules of the service's document are checked by test/conformance; here is what the client does beyond them.

describe('register', () => {
  it('refuses what the service would refuse, before the request', async () => {
    const { client, server } = await bench(always({}), { role: 'submitter' })
    for (const change of [{ mediaContext: 'x'.repeat(201) }, { contentHash: 'ab' }, { verificationDeadline: 'soon' }]) {
      expect(await failure(client.register({ ...REGISTRATION, ...change }))).toMatchObject({
        reason: 'request-invalid',
      })
    }
    expect(server.seen).toEqual([])
  })

  it.each([401, 500])('is sent once, also after a %d', async (status) => {
    const { client, count } = await bench(always({ error: 'no' }, status), { role: 'submitter' })
    expect(await failure(client.register(REGISTRATION))).toMatchObject({ ambiguous: status === 500, facts: { status } })
    expect(count('/v1/assets')).toBe(1)
  })
})

const input = { authenticityScore: 1, deepfakeRiskBps: 100, algorithm: 'a', notes: 'n', offchainAttestation: {} }

it.each([
  [403, 'no', false],
  [404, 'no', false],
  [410, 'no', false],
  [403, '<html>', true],
  [404, '<html>', true],
  [400, 'no', true],
  [429, 'no', true],
] as const)('score a %d by "%s" may have been stored: %s', async (status, word, ambiguous) => {
  const answer = word === 'no' ? { error: word } : word
  const { client } = await bench(always(answer, status))
  expect(await failure(client.score('a', input))).toMatchObject({ ambiguous })
})

it.each([{}, { assets: 1 }, null, 'x'])('byOwner is no list where the answer is %j', async (reply) => {
  const { client } = await bench(always(reply))
  expect(await failure(client.byOwner())).toMatchObject({ reason: 'service-reply-invalid' })
})

describe('upload', () => {
  const file = { name: 'a.png', content: new Uint8Array([1, 2, 3]) }

  it.each<[number, string]>([
    [413, 'upload-refused'],
    [415, 'upload-refused'],
    [401, 'service-unauthorized'],
    [403, 'service-forbidden'],
    [503, 'service-failing'],
  ])('answered with %d is %s, and sent once', async (status, reason) => {
    const { client, count } = await bench(always({ error: 'no' }, status))
    expect(await failure(client.upload(file))).toMatchObject({ reason })
    expect(count('/v1/media/upload')).toBe(1)
  })

  it('of more than 50 MiB is refused without being sent', async () => {
    const { client, count } = await bench(always({}))
    const content = new Uint8Array(50 * 1024 * 1024 + 1)
    expect(await failure(client.upload({ name: 'a.png', content }))).toMatchObject({ reason: 'upload-refused' })
    expect(count('/v1/media/upload')).toBe(0)
  })

  it('is not reported as refused where the session was rejected', async () => {
    const { client, world } = await bench(always({}))
    world.refuseSessions = [400]
    expect(await failure(client.upload(file))).toMatchObject({ reason: 'service-unauthorized' })
  })

  it.each([{}, { contentHash: 'ab', uri: 'ipfs://x' }, { contentHash: HASH, uri: '' }])(
    'rejects an answer of another shape: %j',
    async (reply) => {
      const { client } = await bench(always(reply))
      expect(await failure(client.upload(file))).toMatchObject({ reason: 'service-reply-invalid', ambiguous: true })
    },
  )
})
