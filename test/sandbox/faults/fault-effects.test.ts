import { CarBlockIterator } from '@ipld/car'
import { sha256 } from 'multiformats/hashes/sha2'
import { afterEach, describe, expect, it } from 'vitest'
import type { Sandbox } from '../../../src/sandbox/create-sandbox.js'
import type { FaultPlanInput } from '../../../src/sandbox/faults/faults.js'
import { ManualClock } from '../../support/manual-clock.js'
import { startSandbox } from '../../support/sandbox.js'
import { type RawReply, send, sendSigned } from '../../support/sandbox-requests.js'

type Rule = NonNullable<FaultPlanInput['rules']>[number]

let sandbox: Sandbox
let clock: ManualClock

afterEach(() => sandbox.close())

async function start(...rules: Rule[]): Promise<void> {
  clock = new ManualClock()
  sandbox = await startSandbox({ clock, faults: { rules }, rateLimit: null })
}

const list = () =>
  sendSigned(sandbox.url, sandbox.attesterKey, { method: 'GET', target: '/api/v1/attester/media' }, signedAt())
const signedAt = () => ({ timestamp: clock.now() })

async function scored(): Promise<{ post: () => Promise<RawReply>; assetId: string }> {
  const { id } = await sandbox.registerFile('f', { content: Buffer.from('x') })
  const body = JSON.stringify({ deepfakeRiskScore: 7, algorithm: 'a' })
  const request = { method: 'POST', target: `/api/v1/attester/media/${id}/scores`, body }
  return { assetId: id, post: () => sendSigned(sandbox.url, sandbox.attesterKey, request, signedAt()) }
}

/** Resolves when no answer came although everything else had its turn. */
async function staysOpen(reply: Promise<unknown>): Promise<void> {
  const first = await Promise.race([reply.then(() => 'answered'), turns(50).then(() => 'open')])
  expect(first).toBe('open')
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve))
}

describe('a score', () => {
  it.each([
    ['status-500', 500, undefined],
    ['status-503', 503, undefined],
    ['status-429', 429, '1'],
    ['status-401', 401, undefined],
  ] as const)('with %s is not stored, the next one is', async (fault, status, retryAfter) => {
    await start({ route: 'score', fault, attempts: [1] })
    const { post } = await scored()
    const reply = await post()
    expect([reply.status, reply.headers['retry-after']]).toEqual([status, retryAfter])
    expect(reply.json.error.code).toBe('fault-injected')
    expect(sandbox.scores()).toEqual([])
    expect((await post()).status).toBe(200)
    expect(sandbox.world.scores.attempts().map((entry) => [entry.attempt, entry.fault, entry.outcome])).toEqual([
      [1, fault, 'fault'],
      [2, null, 'stored'],
    ])
  })

  it('with lost-reply is stored although the connection breaks', async () => {
    await start({ route: 'score', fault: 'lost-reply', attempts: [1] })
    const { post } = await scored()
    await expect(post()).rejects.toThrow(/socket hang up|ECONNRESET/)
    expect(sandbox.scores()).toHaveLength(1)
    expect((await post()).status).toBe(200)
    expect(sandbox.world.scores.attempts().map((entry) => entry.outcome)).toEqual(['stored', 'same'])
  })

  it('with reset is not stored and the connection breaks', async () => {
    await start({ route: 'score', fault: 'reset' })
    const { post } = await scored()
    await expect(post()).rejects.toThrow(/socket hang up|ECONNRESET/)
    expect(sandbox.scores()).toEqual([])
  })

  it.each([
    ['no-reply', 1],
    ['no-reply-not-stored', 0],
  ] as const)('with %s is never answered, and stored %d times', async (fault, times) => {
    await start({ route: 'score', fault })
    const { post } = await scored()
    const reply = post()
    reply.catch(() => {})
    await until(() => sandbox.world.scores.attempts().length === 1 && sandbox.scores().length === times)
    await staysOpen(reply)
    expect(sandbox.scores()).toHaveLength(times)
  })

  it('with late-store is stored after its delay, and never answered', async () => {
    await start({ route: 'score', fault: 'late-store', ms: 5_000 })
    const { post } = await scored()
    const reply = post()
    reply.catch(() => {})
    await until(() => sandbox.world.scores.attempts().length === 1)
    await clock.advance(4_999)
    await turns(5)
    expect(sandbox.scores()).toEqual([])
    await clock.advance(1)
    await until(() => sandbox.scores().length === 1)
    await staysOpen(reply)
  })

  it('with slow is stored at once and answered after its delay', async () => {
    await start({ route: 'score', fault: 'slow', ms: 5_000 })
    const { post } = await scored()
    const reply = post()
    await until(() => sandbox.scores().length === 1)
    await staysOpen(reply)
    await clock.advance(5_000)
    expect((await reply).status).toBe(200)
  })
})

describe('a JSON answer', () => {
  it('with garbage is no JSON', async () => {
    await start({ route: 'list', fault: 'garbage' })
    const reply = await list()
    expect([reply.status, reply.json]).toEqual([200, undefined])
  })

  it('with wrong-shape is JSON of another shape', async () => {
    await start({ route: 'time', fault: 'wrong-shape' })
    const reply = await send(sandbox.url, { method: 'GET', target: '/api/v1/time' })
    expect([reply.status, reply.json.serverTime]).toEqual([200, undefined])
  })

  it('with truncated breaks midway', async () => {
    await start({ route: 'list', fault: 'truncated' })
    await expect(list()).rejects.toThrow(/aborted/)
  })

  it('with redirect leads to another origin', async () => {
    await start({ route: 'list', fault: 'redirect' })
    const reply = await list()
    expect([reply.status, reply.headers.location]).toEqual([302, 'http://redirected.invalid/api/v1/attester/media'])
  })

  it('with a status has the Retry-After of the rule', async () => {
    await start({ route: 'list', fault: 'status-503', retryAfterSeconds: 7 })
    expect((await list()).headers['retry-after']).toBe('7')
  })

  it('has no fault where the caller is rejected anyway', async () => {
    await start({ route: 'list', fault: 'status-500' })
    const key = { accessKey: sandbox.attesterKey.accessKey, signingSecret: 'wrong' }
    const reply = await sendSigned(sandbox.url, key, { method: 'GET', target: '/api/v1/attester/media' }, signedAt())
    expect(reply.json.error.code).toBe('signature-invalid')
    expect(sandbox.world.faults.counts()).toEqual([])
  })
})

describe('the gateway', () => {
  const content = Buffer.alloc(700_000, 'media of several blocks ')

  async function car(rule: Omit<Rule, 'route'>, format = 'car') {
    await start({ route: 'gateway', ...rule } as Rule)
    const { uri } = await sandbox.registerFile('f', { content })
    const reply = await send(sandbox.url, {
      method: 'GET',
      target: `${uri.replace('ipfs://', '/ipfs/')}?format=${format}`,
    })
    return { reply, root: uri.slice('ipfs://'.length) }
  }

  /** Which blocks of a CAR hash to their CID. */
  async function rightness(bytes: Uint8Array): Promise<boolean[]> {
    const right: boolean[] = []
    for await (const block of await CarBlockIterator.fromBytes(bytes)) {
      right.push(Buffer.from((await sha256.digest(block.bytes)).bytes).equals(block.cid.multihash.bytes))
    }
    return right
  }

  it('with bad-block has a wrong last block', async () => {
    expect(await rightness((await car({ fault: 'bad-block' })).reply.body)).toEqual([true, true, true, false])
  })

  it('with bad-block has a wrong raw block', async () => {
    const { reply } = await car({ fault: 'bad-block' }, 'raw')
    const { body } = await sameWithoutFault()
    expect(reply.body.equals(body)).toBe(false)
    expect(reply.body.byteLength).toBe(body.byteLength)
  })

  it('with junk-block has unrequested blocks first', async () => {
    expect(await rightness((await car({ fault: 'junk-block' })).reply.body)).toEqual(
      Array.from({ length: 7 }, () => true),
    )
  })

  it('with truncated breaks midway', async () => {
    await expect(car({ fault: 'truncated' })).rejects.toThrow(/aborted/)
  })

  it('counts by content path', async () => {
    const { root } = await car({ fault: 'status-404', attempts: [1] })
    expect(sandbox.world.faults.injected()).toMatchObject([{ route: 'gateway', key: root, attempt: 1 }])
    expect((await sameWithoutFault()).status).toBe(200)
  })

  async function sameWithoutFault(): Promise<RawReply> {
    sandbox.world.faults.setPlan({})
    const { uri } = sandbox.world.assets.all()[0] ?? { uri: '' }
    return send(sandbox.url, { method: 'GET', target: `${uri.replace('ipfs://', '/ipfs/')}?format=raw` })
  }
})
