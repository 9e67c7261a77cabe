import { describe, expect, it } from 'vitest'
import { AttestdError } from '../../../src/core/errors.js'
import { asRisk } from '../../../src/core/risk.js'
import { failure } from '../../support/failure.js'
import { settle } from '../../support/manual-clock.js'
import { type Handler, sendJson } from '../local-service.js'
import { until } from '../stream-harness.js'
import { account, bench, OTHER_ADDRESS, specAsset, wholeText } from './local-wallet-service.js'

const CHALLENGE = '/v1/auth/challenge'
const SESSION = '/v1/auth/session'
const LIST = '/v1/assets/open'
const list: Handler = (_, response) => sendJson(response, 200, { assets: [specAsset('a')] })
const asked = { includeMyScore: false }

describe('a session', () => {
  it('is opened by a signed challenge when it is first needed, and sent with every request', async () => {
    const { service, server, session, sessions, world } = await bench(list)
    expect(server.seen).toEqual([])
    expect((await service.listOpen(asked)).assets).toHaveLength(1)
    await service.listOpen(asked)
    const sent = `Bearer ${[...world.accepted][0]}`
    expect(server.seen.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined, sent, sent])
    expect(sessions).toEqual([{ event: 'opened' }])
    expect(await session.facts()).toMatchObject({ address: account.address, roles: ['attester', 'submitter'] })
  })

  it('is renewed once where ten simultaneous requests get a 401, and each is repeated', async () => {
    const { service, count, sessions, world } = await bench(list)
    await service.listOpen(asked)
    world.accepted.clear()
    const lists = await Promise.all(Array.from({ length: 10 }, () => service.listOpen(asked)))
    expect(lists.every(({ assets }) => assets.length === 1)).toBe(true)
    expect([count(CHALLENGE), count(SESSION), count(LIST)]).toEqual([2, 2, 21])
    expect(sessions).toEqual([{ event: 'opened' }, { event: 'refused' }, { event: 'renewed' }])
  })

  it('that is older than the current one is not dropped again', async () => {
    const { session, count, world } = await bench(list)
    const old = await session.token()
    world.accepted.clear()
    session.drop(old)
    const fresh = await session.token()
    session.drop(old)
    expect(await session.token()).toBe(fresh)
    expect(count(SESSION)).toBe(2)
  })

  it('is renewed before it ends, while the old one still works', async () => {
    const { session, clock, count, world, sessions } = await bench(list)
    const old = await session.token()
    clock.tick(world.lifetimeMs - 62_000)
    expect(await session.token()).toBe(old)
    await settle()
    expect(count(CHALLENGE)).toBe(1)
    clock.tick(2_000)
    expect(await session.token()).toBe(old)
    await until(() => sessions.length === 2)
    expect(await session.token()).not.toBe(old)
    expect([count(CHALLENGE), count(SESSION)]).toEqual([2, 2])
    expect(sessions).toEqual([{ event: 'opened' }, { event: 'renewed' }])
  })

  it('stays in use where its renewal fails, and is waited for once it has ended', async () => {
    const { session, clock, world, sessions } = await bench(list)
    const old = await session.token()
    world.refuseChallenges = [503]
    clock.tick(world.lifetimeMs - 30_000)
    expect(await session.token()).toBe(old)
    await until(() => sessions.length === 2)
    expect(sessions[1]).toEqual({ event: 'refused' })
    expect(await session.token()).toBe(old)
    clock.tick(31_000)
    expect(await session.token()).not.toBe(old)
  })

  it.each([3_600_000, -3_600_000, 30 * 86_400_000])(
    'is not renewed more often where the local clock is %d ms behind',
    async (offsetMs) => {
      const { session, clock, count, world } = await bench(list)
      world.offsetMs = offsetMs
      for (let minute = 0; minute < 58; minute++) {
        await session.token()
        clock.tick(60_000)
      }
      expect(count(SESSION)).toBe(1)
    },
  )

  it.each([0, 1, -86_400])('that ends %d s after it begins does not cause a storm of requests', async (lifeS) => {
    const { session, clock, count, world } = await bench(list)
    world.lifetimeMs = lifeS * 1000
    for (let asked = 0; asked < 100; asked++) {
      await session.token()
      clock.tick(10)
    }
    expect(count(SESSION)).toBeLessThanOrEqual(2)
  })

  it('that is rejected as soon as it is used is requested with back-off', async () => {
    const { service, clock, count, world } = await bench(list)
    for (let tries = 0; tries < 50; tries++) {
      world.accepted.clear()
      const error = await service.listOpen(asked).catch((thrown: unknown) => thrown)
      if (error instanceof Error) expect(error).toMatchObject({ reason: 'service-unauthorized', ambiguous: false })
      world.accepted.clear()
      clock.tick(100)
    }
    // In 5 s: the first at once, then after 0.75, 1.5 and 3 s.
    expect(count(SESSION)).toBeLessThanOrEqual(7)
  })

  it('ends with the client, and none is opened after', async () => {
    const { session, close, count } = await bench(list)
    await session.token()
    await close()
    expect(await failure(session.token())).toMatchObject({ reason: 'draining' })
    expect(count(SESSION)).toBe(1)
  })
})

describe('a rejection', () => {
  it.each<[number, string]>([
    [400, 'service-unauthorized'],
    [401, 'service-unauthorized'],
    [404, 'service-unauthorized'],
    [409, 'service-unauthorized'],
    [422, 'service-unauthorized'],
    [403, 'role-missing'],
    [429, 'service-rate-limited'],
    [500, 'service-failing'],
    [503, 'service-failing'],
  ])('of the session with %d is %s', async (status, reason) => {
    const { service, world, log } = await bench(list)
    world.refuseSessions = [status]
    const error = await failure(service.listOpen(asked))
    expect(error).toMatchObject({ reason, ambiguous: false, facts: { sessionStatus: status } })
    // Not to be taken for the answer of the route that needed the session.
    expect(error.facts.status).toBeUndefined()
    expectNoSecret(world.secrets, [error], log.text)
  })

  it.each([400, 404, 403, 500])('of the challenge with %d is not taken for a missing asset', async (status) => {
    const { service, world } = await bench(list)
    world.refuseChallenges = [status]
    expect((await failure(service.find('a'))).kind).toMatch(/retry|wait/)
  })

  it('is reported to all callers, and to early ones, without another request', async () => {
    const { service, clock, count, world } = await bench(list)
    world.refuseSessions = [401, 401]
    const errors = await Promise.all(Array.from({ length: 10 }, () => failure(service.listOpen(asked))))
    expect(new Set(errors.map(({ reason }) => reason))).toEqual(new Set(['service-unauthorized']))
    const early = await failure(service.listOpen(asked))
    expect(early).toMatchObject({ reason: 'service-unauthorized', retryAfterMs: 750 })
    expect(count(SESSION)).toBe(1)
    clock.tick(750)
    expect(await failure(service.listOpen(asked))).toMatchObject({ retryAfterMs: undefined })
    expect(await failure(service.listOpen(asked))).toMatchObject({ retryAfterMs: 1_500 })
    clock.tick(1_500)
    expect((await service.listOpen(asked)).assets).toHaveLength(1)
    expect(count(SESSION)).toBe(3)
  })

  it('waits for as long as the service asks', async () => {
    const { service, server, clock } = await bench(list)
    server.handler = (_, response) => sendJson(response, 429, {}, { 'retry-after': '20' })
    expect(await failure(service.find('a'))).toMatchObject({ reason: 'service-rate-limited', retryAfterMs: 20_000 })
    clock.tick(19_000)
    expect(await failure(service.find('a'))).toMatchObject({ retryAfterMs: 1_000 })
    expect(server.seen).toHaveLength(1)
  })
})

it('the Date of an answer from a cache is as old as the answer', async () => {
  const cached: Handler = (request, response) => {
    response.setHeader('date', new Date(Date.UTC(2025, 11, 31, 23)).toUTCString())
    response.setHeader('age', '3600')
    return list(request, response)
  }
  const { service, serviceClock } = await bench(cached)
  await serviceClock.ready()
  await service.listOpen(asked)
  expect(new Date(serviceClock.stated()!.ms).toISOString()).toBe('2026-01-01T00:00:00.000Z')
  expect(serviceClock.state()).toMatchObject({ trusted: true, objection: undefined })
})

it.each([401, 403])('the fix of a %d names wallet or contract, and no access key', async (status) => {
  const refuses: Handler = (_, response) => sendJson(response, status, { error: 'no' })
  const { service } = await bench(refuses)
  const { fix } = await failure(service.listOpen(asked))
  expect(fix).toMatch(/wallet/)
  expect(fix).not.toMatch(/ACCESS_KEY|SECRET|the key/)
})

describe('the role', () => {
  it('that is missing is reported once, by 403 or by the session’s roles', async () => {
    for (const how of ['403', 'roles']) {
      const { service, clock, missing, world } = await bench(list)
      if (how === 'roles') world.roles = ['submitter', 'else']
      else world.refuseSessions = [403, 403, 403]
      for (let tries = 0; tries < 3; tries++) {
        const error = await failure(service.listOpen(asked))
        expect(error).toMatchObject({ reason: 'role-missing', kind: 'setup', ambiguous: false })
        clock.tick(60_000)
      }
      expect(missing).toHaveLength(1)
    }
  })

  it.each<[boolean | null, string]>([
    [true, 'lists the wallet with its role'],
    [null, 'could not be read'],
  ])('is not missing while the stake contract returns %j: the service is asked again', async (says, words) => {
    const confirmRole = async () => says
    const { service, clock, missing, world } = await bench(list, { confirmRole })
    world.refuseSessions = [403]
    const error = await failure(service.listOpen(asked))
    expect(error).toMatchObject({ reason: 'service-forbidden', kind: 'wait', facts: { sessionStatus: 403 } })
    expect(error.message).toContain(words)
    expect(error.fix).toContain('stake contract')
    clock.tick(60_000)
    expect((await service.listOpen(asked)).assets).toHaveLength(1)
    expect(missing).toEqual([])
  })

  it('is missing where the stake contract agrees', async () => {
    const { service, missing, world } = await bench(list, { confirmRole: async () => false })
    world.roles = []
    expect(await failure(service.listOpen(asked))).toMatchObject({ reason: 'role-missing' })
    expect(missing).toHaveLength(1)
  })

  it('is not missing because a proxy answers with 403', async () => {
    const { service, clock, missing, server } = await bench(list)
    const { handler } = server
    server.handler = (request, response) => {
      if (!request.target.startsWith(SESSION)) return handler(request, response)
      response.writeHead(403, { 'content-type': 'text/html' })
      response.end('<h1>Are you human?</h1>')
    }
    const error = await failure(service.listOpen(asked))
    expect(error).toMatchObject({ reason: 'service-forbidden', kind: 'wait', facts: { sessionStatus: 403 } })
    server.handler = handler
    clock.tick(60_000)
    expect((await service.listOpen(asked)).assets).toHaveLength(1)
    expect(missing).toEqual([])
  })
})

describe('an answer of another shape', () => {
  it.each<[string, Record<string, unknown>]>([
    ['another wallet', { address: OTHER_ADDRESS }],
    ['an empty token', { token: '' }],
    ['a token that cannot stand in a header', { token: 'a b\r\nx: y' }],
    ['an endless token', { token: 'a'.repeat(10_000) }],
    ['a token that is no text', { token: 7 }],
    ['roles that are no texts', { roles: [1] }],
  ])('is a session with %s', async (_, session) => {
    const { service, world, missing } = await bench(list)
    world.session = session
    const error = await failure(service.listOpen(asked))
    expect(error).toMatchObject({ reason: 'service-reply-invalid', ambiguous: false })
    expect(missing).toEqual([])
  })

  it.each<[string, string]>([
    ['data', `0x${'ab'.repeat(100)}`],
    ['a megabyte of words', 'sign in '.repeat(130_000)],
  ])('is %s instead of our challenge: nothing is signed or sent', async (_, message) => {
    const signed: string[] = []
    const { service, world, count } = await bench(list, { signer: watched(signed) })
    world.challenge = { message }
    const error = await failure(service.listOpen(asked))
    expect(error).toMatchObject({ reason: 'challenge-untrusted', kind: 'wait', ambiguous: false })
    expect([signed, count(SESSION)]).toEqual([[], 0])
  })
})

describe('the wallet', () => {
  it('that fails is named, and nothing of it counts as sent', async () => {
    const refusal = new AttestdError('wallet-rate-limited', 'slow down', { retryAfterMs: 4_000 })
    const signer = { address: account.address, signMessage: () => Promise.reject(refusal) }
    const { service, count } = await bench(list, { signer })
    expect(await failure(service.listOpen(asked))).toMatchObject({ reason: 'wallet-rate-limited', ambiguous: false })
    expect(await failure(service.listOpen(asked))).toMatchObject({ retryAfterMs: 4_000 })
    expect(count(SESSION)).toBe(0)
  })
})

describe('the token', () => {
  it('and every nonce and signature appear in no log line, error or event, whatever fails', async () => {
    const echoing: Handler = (request, response) => {
      sendJson(response, 422, { error: `no: ${request.headers.authorization} ${request.body}` })
    }
    const { service, client, session, sessions, world, log, clock, malformed } = await bench(echoing)
    const errors: unknown[] = []
    const fail = async (work: Promise<unknown>) => errors.push(await failure(work))
    await fail(service.listOpen(asked))
    await fail(service.find('a'))
    await fail(service.submit(SCORE, clock.now()))
    await fail(client.byOwner())
    world.accepted.clear()
    await fail(service.submit(SCORE, clock.now()))
    world.refuseSessions = [400, 401, 403, 500]
    for (let tries = 0; tries < 4; tries++) {
      clock.tick(60_000)
      await fail(service.find('a'))
    }
    expect(errors.every((error) => error instanceof AttestdError)).toBe(true)
    expect(world.secrets.length).toBeGreaterThan(8)
    expectNoSecret(world.secrets, errors, log.text, JSON.stringify({ sessions, malformed, session, client }))
  })
})

const SCORE = { assetId: 'a', contentHash: `0x${'ab'.repeat(32)}`, risk: asRisk(0.01), algorithm: 'x', notes: '' }

function watched(signed: string[]) {
  const signMessage = (parameters: { message: string }) => {
    signed.push(parameters.message)
    return account.signMessage(parameters)
  }
  return { address: account.address, signMessage }
}

function expectNoSecret(secrets: readonly string[], errors: readonly unknown[], ...texts: (string | string[])[]): void {
  const all = [...errors.map(wholeText), ...texts.flat()].join('\n')
  expect(all.length).toBeGreaterThan(0)
  for (const secret of secrets) expect(all).not.toContain(secret)
}
