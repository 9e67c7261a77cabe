import { expect } from 'vitest'
import { rulesOf } from '../../support/conformance.js'
import { personalSign } from '../../support/hand-made-wallet.js'
import { ManualClock } from '../../support/manual-clock.js'
import { answering } from '../../support/wire-recorder.js'
import { ADDRESS, privateRequests, STRANGER, walletSessionWorld } from './world.js'

const on = rulesOf('wallet-session')
const onChallenge = on('GET /v1/auth/challenge')
const onSession = on('POST /v1/auth/session')
const onPrivate = on('every private route')
const onEvery = on('every route')
const world = walletSessionWorld()
const CHALLENGE = '/v1/auth/challenge'
const SESSION = '/v1/auth/session'
const JSON_TYPE = /^application\/json\b/
/** A request of a new client, which opens a session for it. */
const ask = (wallet = world.attester) => world.client(wallet).service.listOpen({ includeMyScore: false })

on('GET /health')('Needs no credentials; answers { ok: boolean }.', 'Endpoints; Resources, Health result', {
  sandbox: async () => {
    const { status, json } = await world.get('/health')
    expect([status, json]).toEqual([200, { ok: true }])
  },
  client: async () => {
    await world.asAttester().client.health()
    expect(world.wire.last('GET', '/health').headers).not.toHaveProperty('authorization')
    world.wire.stand = answering('/health', 200, { ok: 'yes' })
    await expect(world.asAttester().client.health()).rejects.toMatchObject({ reason: 'service-reply-invalid' })
  },
})

onChallenge('Is public; the query names the wallet address, required.', 'Endpoints; Authentication 1', {
  sandbox: async () => {
    expect((await world.challenge(world.attester.address)).status).toBe(200)
    expect((await world.get(CHALLENGE)).status).toBe(400)
    expect((await world.challenge('0x12')).status).toBe(400)
  },
  client: async () => {
    await ask()
    const { target, headers } = world.wire.last('GET', CHALLENGE)
    const asked = new URL(target, 'http://x').searchParams
    expect([...asked.keys()]).toEqual(['address'])
    expect(asked.get('address')?.toLowerCase()).toBe(world.attester.address)
    expect(headers).not.toHaveProperty('authorization')
  },
})

onChallenge('Answers { message: string, nonce: string, expiresAt: number }.', 'Resources, Challenge', {
  sandbox: async () => {
    expect((await world.challenge(world.attester.address)).json).toEqual({
      message: expect.any(String),
      nonce: expect.any(String),
      expiresAt: expect.any(Number),
    })
  },
  client: async () => {
    const { json } = await world.challenge(world.attester.address)
    const wrongs = [{ message: 7 }, { nonce: undefined }, { nonce: '' }, { nonce: 12345678 }, { expiresAt: null }]
    const before = world.wire.to('POST', SESSION).length
    for (const wrong of wrongs) {
      world.wire.stand = answering(CHALLENGE, 200, { ...json, ...wrong })
      await expect(ask(), JSON.stringify(wrong)).rejects.toMatchObject({ reason: 'service-reply-invalid' })
    }
    expect(world.wire.to('POST', SESSION)).toHaveLength(before)
  },
})

onChallenge('A challenge is single-use.', 'Resources, Challenge; States; Limits', {
  sandbox: async () => {
    const { message, nonce } = (await world.challenge(world.attester.address)).json
    const signature = await personalSign(message, world.attester.privateKey)
    expect((await world.post(SESSION, { nonce, signature })).status).toBe(200)
    expect((await world.post(SESSION, { nonce, signature })).status).toBe(401)
  },
  client: async () => {
    const before = world.wire.to('GET', CHALLENGE).length
    for (let nth = 0; nth < 2; nth++) await ask()
    const nonces = world.wire.to('POST', SESSION).map(({ body }) => JSON.parse(body).nonce)
    expect(world.wire.to('GET', CHALLENGE)).toHaveLength(before + 2)
    expect(new Set(nonces).size).toBe(nonces.length)
  },
})

onChallenge('A challenge expires in a few minutes.', 'Resources, Challenge; States; Limits', {
  sandbox: async () => {
    const { message, nonce, expiresAt } = (await world.challenge(world.attester.address)).json
    const lifetimeMs = expiresAt * 1000 - Date.now()
    expect(lifetimeMs).toBeGreaterThan(60_000)
    expect(lifetimeMs).toBeLessThan(10 * 60_000)
    world.sandbox.control.setClockOffset(lifetimeMs + 2_000)
    const late = { nonce, signature: await personalSign(message, world.attester.privateKey) }
    const { status } = await world.post(SESSION, late)
    world.sandbox.control.setClockOffset(0)
    expect(status).toBe(401)
  },
  client: async () => {
    const { json } = await world.challenge(world.attester.address)
    world.wire.stand = answering(CHALLENGE, 200, { ...json, expiresAt: Math.floor(Date.now() / 1000) - 3600 })
    const from = world.wire.to('POST', SESSION).length
    await expect(ask()).rejects.toThrow()
    world.wire.stand = null
    expect(world.wire.to('POST', SESSION)).toHaveLength(from)
  },
})

onSession('Is public; the body has nonce (string) and signature (0x-prefixed hex).', 'Endpoints; Authentication 3', {
  sandbox: async () => {
    expect((await world.signIn(world.attester)).status).toBe(200)
    const { nonce } = (await world.challenge(world.attester.address)).json
    for (const body of [{}, { nonce }, { nonce, signature: 'x' }, { nonce: 7, signature: `0x${'1'.repeat(130)}` }]) {
      expect((await world.post(SESSION, body)).status, JSON.stringify(body)).toBe(400)
    }
  },
  client: async () => {
    await ask()
    const { body, headers } = world.wire.last('POST', SESSION)
    expect(JSON.parse(body)).toEqual({
      nonce: expect.any(String),
      signature: expect.stringMatching(/^0x[0-9a-f]{130}$/),
    })
    expect(headers['content-type']).toMatch(JSON_TYPE)
    expect(headers).not.toHaveProperty('authorization')
  },
})

onSession('The signature is an EIP-191 personal sign of the message by the same account.', 'Authentication 2, 3', {
  sandbox: async () => {
    const { message, nonce } = (await world.challenge(world.attester.address)).json
    const signature = await personalSign(message, world.submitter.privateKey)
    expect((await world.post(SESSION, { nonce, signature })).status).toBe(401)
    const again = (await world.challenge(world.attester.address)).json
    const other = await personalSign(`${again.message} `, world.attester.privateKey)
    expect((await world.post(SESSION, { nonce: again.nonce, signature: other })).status).toBe(401)
  },
  client: async () => {
    // As the client would get it: the text names the host by which the service was reached.
    const host = { headers: { host: new URL(world.wire.url).host } }
    const { json } = await world.get(`${CHALLENGE}?address=${world.attester.address}`, host)
    world.wire.stand = answering(CHALLENGE, 200, json)
    await ask()
    world.wire.stand = null
    expect(JSON.parse(world.wire.last('POST', SESSION).body)).toEqual({
      nonce: json.nonce,
      signature: await personalSign(json.message, world.attester.privateKey),
    })
  },
})

onSession(
  'Answers { token, expiresAt (integer Unix seconds), address, roles }.',
  'Resources, Session; Authentication 3',
  {
    sandbox: async () => {
      const { json } = await world.signIn(world.attester)
      expect(json).toEqual({
        token: expect.any(String),
        expiresAt: expect.any(Number),
        address: expect.stringMatching(ADDRESS),
        roles: ['attester'],
      })
      expect(json.address.toLowerCase()).toBe(world.attester.address)
      expect(Number.isInteger(json.expiresAt)).toBe(true)
      expect(Math.abs(json.expiresAt - Date.now() / 1000)).toBeLessThan(7 * 24 * 3600)
      expect((await world.signIn(world.submitter)).json.roles).toEqual(['submitter'])
    },
    client: async () => {
      const { json } = await world.signIn(world.attester)
      const wrongs = [
        { token: undefined },
        { expiresAt: '2026' },
        { expiresAt: 1.5 },
        { address: '0x12' },
        { roles: 'attester' },
      ]
      for (const wrong of wrongs) {
        world.wire.stand = answering(SESSION, 200, { ...json, ...wrong })
        await expect(ask(), JSON.stringify(wrong)).rejects.toMatchObject({ reason: 'service-reply-invalid' })
      }
      world.wire.stand = answering(SESSION, 200, { ...json, address: STRANGER.address })
      await expect(ask()).rejects.toThrow()
    },
  },
)

onSession('Roles are submitter and attester.', 'Resources, Session', {
  sandbox: async () => {
    world.sandbox.registry.setRoles(STRANGER.address, { submitter: true, attester: true })
    const { json } = await world.signIn(STRANGER)
    world.sandbox.registry.setRoles(STRANGER.address, { submitter: false, attester: false })
    expect(json.roles.toSorted()).toEqual(['attester', 'submitter'])
  },
  client: async () => {
    const { json } = await world.signIn(world.attester)
    world.wire.stand = answering(SESSION, 200, { ...json, roles: ['submitter'] })
    await expect(ask()).rejects.toMatchObject({ reason: 'role-missing', kind: 'setup' })
  },
})

onSession('A wallet without an on-chain role is answered with 403.', 'Authentication 3; Errors', {
  sandbox: async () => {
    expect((await world.signIn(STRANGER)).status).toBe(403)
  },
  client: async () => {
    await expect(ask(STRANGER)).rejects.toMatchObject({ reason: 'role-missing', kind: 'setup' })
  },
})

onSession('The roles are those in the stake contract.', 'What the service does; Authentication 3', {
  sandbox: async () => {
    const { registry } = world.sandbox
    expect((await world.signIn(STRANGER)).status).toBe(403)
    registry.setRoles(STRANGER.address, { submitter: false, attester: true })
    expect((await world.signIn(STRANGER)).json.roles).toEqual(['attester'])
    registry.setRoles(STRANGER.address, { submitter: false, attester: false })
    expect((await world.signIn(STRANGER)).status).toBe(403)
  },
  client: '– it uses the roles of the session, and reads the contract separately',
})

onSession('503 where the RPC or the configuration is missing on the server.', 'Errors', {
  sandbox: async () => {
    const { message, nonce } = (await world.challenge(world.attester.address)).json
    const signature = await personalSign(message, world.attester.privateKey)
    world.sandbox.registry.stop()
    const { status } = await world.post(SESSION, { nonce, signature })
    world.sandbox.registry.start()
    expect(status).toBe(503)
  },
  client: async () => {
    world.wire.stand = answering(SESSION, 503, { error: 'no rpc' })
    await expect(ask()).rejects.toMatchObject({ reason: 'service-failing', kind: 'retry' })
  },
})

onPrivate('Needs Authorization: Bearer with a session token; missing or invalid: 401.', 'Authentication 4; Errors', {
  sandbox: async () => {
    const { id } = await world.newAsset()
    const { token } = (await world.signIn(world.attester)).json
    for (const { method, target, body } of privateRequests(world, id)) {
      for (const bad of [undefined, 'nonsense', `${token.slice(0, -2)}xx`, token.slice(1)]) {
        const request = { body, ...(bad === undefined ? {} : { token: bad }) }
        expect((await world.send(method, target, request)).status, `${method} ${target}`).toBe(401)
      }
      const basic = { headers: { authorization: `Basic ${token}` }, body }
      expect((await world.send(method, target, basic)).status, `${method} ${target}`).toBe(401)
    }
  },
  client: async () => {
    const sent = await world.everyPrivateRequest()
    for (const { headers, target } of sent) {
      expect(headers.authorization, target).toMatch(/^Bearer [\x21-\x7e]+$/)
    }
  },
})

onPrivate(
  'Submitter routes need a session whose roles include submitter, attester routes attester; the wrong role: 403.',
  'Authentication 5; Errors',
  {
    sandbox: async () => {
      const { id } = await world.newAsset()
      for (const { method, target, body, role, other } of privateRequests(world, id)) {
        expect((await world.send(method, target, { as: other, body })).status, `${method} ${target}`).toBe(403)
        if (method === 'GET' && !target.includes('stream')) {
          expect((await world.send(method, target, { as: role })).status, target).toBe(200)
        }
      }
    },
    client: async () => {
      await expect(ask(world.submitter)).rejects.toMatchObject({ reason: 'role-missing', kind: 'setup' })
    },
  },
)

onPrivate('A session expires at its expiresAt; the client then repeats challenge and signature.', 'States', {
  sandbox: async () => {
    const { token, expiresAt } = (await world.signIn(world.attester)).json
    const at = async (seconds: number) => {
      world.sandbox.control.setClockOffset(seconds * 1000 - Date.now())
      const { status } = await world.get('/v1/assets/open', { token })
      world.sandbox.control.setClockOffset(0)
      return status
    }
    expect(await at(expiresAt - 5)).toBe(200)
    expect(await at(expiresAt + 1)).toBe(401)
  },
  client: async () => {
    const { json } = await world.signIn(world.attester)
    const clock = new ManualClock(Date.now())
    const { service } = world.asAttester({ clock })
    world.wire.stand = answering(SESSION, 200, { ...json, expiresAt: Math.floor(Date.now() / 1000) + 30 })
    await service.listOpen({ includeMyScore: false })
    world.wire.stand = null
    const before = world.wire.to('POST', SESSION).length
    await service.listOpen({ includeMyScore: false })
    expect(world.wire.to('POST', SESSION)).toHaveLength(before)
    clock.tick(31_000)
    await service.listOpen({ includeMyScore: false })
    expect(world.wire.to('POST', SESSION)).toHaveLength(before + 1)
  },
})

onPrivate('After a 401 the client opens a new session.', 'States; Errors', {
  sandbox: '– the client repeats the flow',
  client: async () => {
    const { service } = world.asAttester()
    await service.listOpen({ includeMyScore: false })
    const from = world.wire.requests.length
    let refused = 0
    world.wire.stand = (request, response) => {
      if (request.target !== '/v1/assets/open' || refused++ > 0) return false
      response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":"no"}')
      return true
    }
    await service.listOpen({ includeMyScore: false })
    world.wire.stand = null
    const paths = world.wire.requests.slice(from).map(({ target }) => target.split('?')[0])
    expect(paths).toEqual(['/v1/assets/open', CHALLENGE, SESSION, '/v1/assets/open'])
  },
})

onEvery('Private keys are never sent; control of a wallet is proved by signing.', 'What the service does', {
  sandbox: async () => {
    expect((await world.challenge(world.attester.address)).body.toString()).not.toContain(
      world.attester.privateKey.slice(2),
    )
  },
  client: async () => {
    await world.everyPrivateRequest()
    for (const { privateKey } of [world.attester, world.submitter]) {
      expect(world.wire.sent().toLowerCase()).not.toContain(privateKey.slice(2).toLowerCase())
    }
  },
})

onEvery('Bodies are application/json unless stated.', 'What the service does', {
  sandbox: async () => {
    const { id } = await world.newAsset()
    for (const target of [
      '/health',
      `${CHALLENGE}?address=${world.attester.address}`,
      '/v1/assets/open',
      `/v1/assets/${id}`,
    ]) {
      expect((await world.get(target, { as: 'attester' })).headers['content-type'], target).toMatch(JSON_TYPE)
    }
    const form = { headers: { 'content-type': 'text/plain' }, as: 'submitter' } as const
    expect((await world.post('/v1/assets', JSON.stringify(world.registration()), form)).status).toBe(415)
  },
  client: async () => {
    const posts = (await world.everyPrivateRequest()).filter(
      ({ method, target }) => method === 'POST' && !target.includes('upload'),
    )
    expect(posts).toHaveLength(2)
    for (const { headers } of posts) expect(headers['content-type']).toMatch(JSON_TYPE)
    world.wire.stand = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')
      return true
    }
    await expect(world.asAttester().client.health()).rejects.toMatchObject({ reason: 'service-reply-invalid' })
  },
})

onEvery('Error bodies are JSON: { error: string }.', 'Errors', {
  sandbox: async () => {
    const replies = [
      await world.get('/v1/assets/open'),
      await world.get('/v1/assets/open', { as: 'submitter' }),
      await world.get('/v1/assets/none', { as: 'attester' }),
      await world.get(CHALLENGE),
      await world.post(SESSION, '{'),
      await world.get('/v1/nothing'),
    ]
    expect(replies.map(({ status }) => status)).toEqual([401, 403, 404, 400, 400, 404])
    for (const { json } of replies) expect(json).toEqual({ error: expect.any(String) })
  },
  client: async () => {
    world.wire.stand = answering('/v1/assets/open', 400, { error: 'a plain sentence' })
    await expect(ask()).rejects.toMatchObject({ message: expect.stringContaining('a plain sentence') })
  },
})

onEvery('Routes other than /health are prefixed /v1.', 'Versioning', {
  sandbox: async () => {
    expect((await world.get('/v1/health')).status).toBe(404)
    expect((await world.get('/assets/open', { as: 'attester' })).status).toBe(404)
  },
  client: async () => {
    const paths = (await world.everyPrivateRequest()).map(({ target }) => target)
    expect(paths.every((path) => path.startsWith('/v1/'))).toBe(true)
  },
})
