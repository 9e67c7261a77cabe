import { createHash, createHmac } from 'node:crypto'
import { expect } from 'vitest'
import { asRisk } from '../../../src/core/risk.js'
import { rulesOf } from '../../support/conformance.js'
import { REGISTRATION, send, sendSigned, signatureHeaders } from '../../support/sandbox-requests.js'
import { withReason } from '../../support/with-reason.js'
import { expectSigned, MEDIA, privateRequests, REGISTER, STREAM, signedKeyWorld } from './world.js'

const rule = rulesOf('signed-key')('every private route')
const world = signedKeyWorld({ timestampWindowMs: 30_000 })
const WINDOW_MS = 30_000
/** For the way of a request on a busy machine. */
const SLACK_MS = 5_000

/** Every private request once, answered as far as its status; `spoil` changes one before it is sent. */
async function statuses(send: (request: ReturnType<typeof privateRequests>[number]) => Promise<{ status: number }>) {
  const { id } = await world.newAsset()
  const replies: number[] = []
  for (const request of privateRequests(world, id)) {
    if (request.target !== STREAM) replies.push((await send(request)).status)
  }
  return replies
}

/** Every private route once by the real clients; @returns what they sent */
async function everyClientRequest() {
  const from = world.wire.requests.length
  const { id } = await world.newAsset()
  await world.attester.service.listOpen({ includeMyScore: true })
  await world.attester.service.find(id)
  const score = {
    assetId: id,
    contentHash: REGISTRATION.contentHash,
    risk: asRisk(0.425),
    algorithm: 'a',
    notes: 'visage – 顔',
  }
  await world.attester.service.submit(score, world.attester.clock.now())
  await world.submitter.client.register({ ...REGISTRATION, title: 'visage – 顔' })
  const stop = new AbortController()
  for await (const event of world.attester.service.watch(stop.signal)) if (event.kind === 'snapshot') stop.abort()
  const sent = world.wire.requests.slice(from).filter(({ target }) => target !== '/api/v1/time')
  expect(sent).toHaveLength(5)
  return sent
}

const keyOf = ({ target }: { target: string }) =>
  target === REGISTER ? world.sandbox.submitterKey : world.sandbox.attesterKey

rule(
  'Needs the headers Service-Access-Key, Service-Timestamp and Service-Signature; without one: 401.',
  'Authentication 2; Errors',
  {
    sandbox: async () => {
      for (const missing of ['Service-Access-Key', 'Service-Timestamp', 'Service-Signature']) {
        const without = await statuses(({ key, method, target, body }) => {
          const text = body === undefined ? {} : { body: JSON.stringify(body) }
          const headers = signatureHeaders(key, { method, target, ...text })
          delete headers[missing]
          return send(world.sandbox.url, { method, target, headers, ...text })
        })
        expect(without, missing).toEqual([401, 401, 401, 401])
      }
      const all = await statuses(({ key, method, target, body }) => world.signed(key, method, target, body))
      expect(all).toEqual([200, 200, 200, 201])
    },
    client: async () => {
      for (const { headers } of await everyClientRequest()) {
        expect(headers['service-access-key']).toMatch(/^ak_(att|sub)_/)
        expect(headers['service-timestamp']).toMatch(/^\d{13}$/)
        expect(headers['service-signature']).toMatch(/^[0-9a-f]{64}$/)
      }
    },
  },
)

rule('Each header has an X- alias.', 'Authentication 2', {
  sandbox: async () => {
    const aliased = await statuses(({ key, method, target, body }) =>
      world.signed(key, method, target, body, { prefix: 'X-Service' }),
    )
    expect(aliased).toEqual([200, 200, 200, 201])
  },
  client: '– it sends the names themselves',
})

rule('Header names are case-insensitive.', 'Authentication 2', {
  sandbox: async () => {
    const { attesterKey, url } = world.sandbox
    for (const recase of [(name: string) => name.toUpperCase(), (name: string) => name.toLowerCase()]) {
      const headers = Object.entries(signatureHeaders(attesterKey, { method: 'GET', target: MEDIA }))
      const cased = Object.fromEntries(headers.map(([name, value]) => [recase(name), value]))
      expect((await send(url, { method: 'GET', target: MEDIA, headers: cased })).status).toBe(200)
    }
  },
  client: '– of every spelling it sends one',
})

rule(
  'The signature covers four lines joined by newlines without a trailing one: timestamp as sent, upper-case method, path with query as sent, lower-case hex SHA-256 of the body.',
  'Authentication 3',
  {
    sandbox: async () => {
      const { attesterKey, url } = world.sandbox
      const target = `${MEDIA}?includeMyScore=1`
      const digest = createHash('sha256').update('').digest('hex')
      const timestamp = String(Date.now())
      const lines = [timestamp, 'GET', target, digest]
      const ask = (payload: string) => {
        const signature = createHmac('sha256', attesterKey.signingSecret).update(payload).digest('hex')
        const headers = {
          'Service-Access-Key': attesterKey.accessKey,
          'Service-Timestamp': timestamp,
          'Service-Signature': signature,
        }
        return send(url, { method: 'GET', target, headers })
      }
      expect((await ask(lines.join('\n'))).status).toBe(200)
      const wrong = [
        `${lines.join('\n')}\n`,
        lines.join('\r\n'),
        lines.join('').toLowerCase(),
        [timestamp, 'get', target, digest].join('\n'),
        [timestamp, 'GET', MEDIA, digest].join('\n'),
        [timestamp, 'GET', `${url}${target}`, digest].join('\n'),
        [timestamp, 'GET', target, digest.toUpperCase()].join('\n'),
        [`${timestamp}0`, 'GET', target, digest].join('\n'),
        [...lines.slice(0, 3), ''].join('\n'),
      ]
      for (const payload of wrong) expect((await ask(payload)).status, payload).toBe(401)
    },
    client: async () => {
      for (const request of await everyClientRequest()) expectSigned(request, keyOf(request))
    },
  },
)

rule('The signature is lower-case hex HMAC-SHA256 under the UTF-8 bytes of the secret.', 'Authentication 4', {
  sandbox: async () => {
    const { attesterKey, url } = world.sandbox
    const request = { method: 'GET', target: MEDIA }
    const spoiled = [
      (text: string) => text.toUpperCase(),
      (text: string) => Buffer.from(text, 'hex').toString('base64'),
      (text: string) => text.slice(0, -1),
      (text: string) => `${text.slice(0, -1)}${text.endsWith('0') ? '1' : '0'}`,
    ]
    for (const spoil of spoiled) {
      // An upper-case text without a letter would be the lower-case one.
      expect((await sendSigned(url, attesterKey, request, { spoil, timestamp: Date.now() })).status).toBe(401)
    }
    const other = { ...attesterKey, signingSecret: `${attesterKey.signingSecret}x` }
    expect((await sendSigned(url, other, request)).status).toBe(401)
  },
  client: async () => {
    const key = { ...world.sandbox.attesterKey, signingSecret: 'clé – 鍵' }
    const odd = world.client(key)
    await expect(odd.service.listOpen({ includeMyScore: false })).rejects.toThrow(withReason('service-unauthorized'))
    expectSigned(world.wire.last('GET', MEDIA), key)
  },
})

rule(
  'The body text that is sent is the exact text that was signed; for GET it is empty.',
  'Endpoints; Authentication 3',
  {
    sandbox: async () => {
      const { submitterKey, url } = world.sandbox
      const body = JSON.stringify(REGISTRATION)
      const headers = {
        'content-type': 'application/json',
        ...signatureHeaders(submitterKey, { method: 'POST', target: REGISTER, body }),
      }
      const same = JSON.stringify(REGISTRATION, null, 1)
      expect((await send(url, { method: 'POST', target: REGISTER, headers, body: same })).status).toBe(401)
      expect((await send(url, { method: 'POST', target: REGISTER, headers, body })).status).toBe(201)
    },
    client: async () => {
      const sent = await everyClientRequest()
      expect(sent.filter(({ method }) => method === 'GET').map(({ body }) => body)).toEqual(['', '', ''])
      for (const request of sent.filter(({ method }) => method === 'POST')) {
        expect(request.body).toContain('visage – 顔')
        expectSigned(request, keyOf(request))
      }
    },
  },
)

rule(
  'The timestamp is within 30 seconds of server time, unless the deployment states otherwise; else 401.',
  'Authentication 5; Limits',
  {
    sandbox: async () => {
      for (const [offset, status] of [
        [-WINDOW_MS + SLACK_MS, 200],
        [WINDOW_MS - SLACK_MS, 200],
        [-WINDOW_MS - SLACK_MS, 401],
        [WINDOW_MS + SLACK_MS, 401],
      ] as const) {
        const { status: got } = await world.asAttester('GET', MEDIA, undefined, { timestamp: Date.now() + offset })
        expect(got, `${offset} ms`).toBe(status)
      }
      for (const timestamp of ['now', '', `${Date.now() / 1000}`]) {
        expect((await world.asAttester('GET', MEDIA, undefined, { timestamp })).status, timestamp).toBe(401)
      }
    },
    client: async () => {
      world.sandbox.control.setClockOffset(7_200_000)
      const ahead = world.client(world.sandbox.attesterKey)
      await ahead.service.listOpen({ includeMyScore: false })
      world.sandbox.control.setClockOffset(0)
      const { headers, status } = world.wire.last('GET', MEDIA)
      expect(status).toBe(200)
      expect(Number(headers['service-timestamp']) - Date.now()).toBeGreaterThan(7_200_000 - WINDOW_MS)
    },
  },
)

rule('On a 401 that indicates clock skew, the local clock is compared with GET /api/v1/time.', 'Authentication 5', {
  sandbox: async () => {
    world.sandbox.control.setClockOffset(120_000)
    const refused = await world.asAttester('GET', MEDIA)
    const { serverTime } = (await send(world.sandbox.url, { method: 'GET', target: '/api/v1/time' })).json
    const retried = await world.asAttester('GET', MEDIA, undefined, { timestamp: serverTime })
    world.sandbox.control.setClockOffset(0)
    expect([refused.status, retried.status]).toEqual([401, 200])
    expect(JSON.stringify(refused.json)).toMatch(/timestamp/)
  },
  client: async () => {
    const { service } = world.client(world.sandbox.attesterKey)
    await service.listOpen({ includeMyScore: false })
    const from = world.wire.requests.length
    world.sandbox.control.setClockOffset(90_000)
    // Within a second of the last look at the time route a 401 does not ask it again.
    const listed = () =>
      service
        .listOpen({ includeMyScore: false })
        .then(() => true)
        .catch(() => false)
    await expect.poll(listed).toBe(true)
    world.sandbox.control.setClockOffset(0)
    const after = world.wire.requests.slice(from)
    const refusedAt = after.findIndex(({ status }) => status === 401)
    expect(after.slice(refusedAt).map(({ target }) => target)).toContain('/api/v1/time')
  },
})

rule('An access key that is unknown or was revoked is an authentication failure: 401.', 'Errors; Authentication 6', {
  sandbox: async () => {
    const key = { ...world.sandbox.control.createKey({ kind: 'attester' }), wallet: '' }
    expect((await world.signed(key, 'GET', MEDIA)).status).toBe(200)
    world.sandbox.world.keys.revoke(key.id)
    expect((await world.signed(key, 'GET', MEDIA)).status).toBe(401)
    expect((await world.signed({ ...key, accessKey: 'ak_att_unknown' }, 'GET', MEDIA)).status).toBe(401)
  },
  client: async () => {
    const { service } = world.client({ accessKey: 'ak_att_unknown', signingSecret: 's' })
    await expect(service.listOpen({ includeMyScore: false })).rejects.toMatchObject({
      reason: 'service-unauthorized',
      facts: { status: 401 },
    })
  },
})

rule(
  'Two kinds of key exist; attester routes take an attester key, submitter routes a submitter key.',
  'Authentication 6',
  {
    sandbox: async () => {
      const crossed = await statuses(({ other, method, target, body }) => world.signed(other, method, target, body))
      expect(crossed).toEqual([403, 403, 403, 403])
    },
    client: async () => {
      await expect(world.submitter.service.listOpen({ includeMyScore: false })).rejects.toThrow(
        withReason('service-forbidden'),
      )
    },
  },
)

rule("Needs the stake gate of the key's wallet to be met.", 'Authentication 7', {
  sandbox: async () => {
    const { control, attesterKey, submitterKey } = world.sandbox
    for (const { wallet } of [attesterKey, submitterKey]) control.setStake({ wallet, stakedWei: 1n })
    const poor = await statuses(({ key, method, target, body }) => world.signed(key, method, target, body))
    for (const { wallet } of [attesterKey, submitterKey]) control.setStake({ wallet, stakedWei: 10n ** 19n })
    expect(poor).toEqual([403, 403, 403, 403])
  },
  client: async () => {
    world.sandbox.control.setStake({ stakedWei: 1n })
    const asked = world.attester.service.listOpen({ includeMyScore: false })
    await expect(asked).rejects.toMatchObject({ reason: 'service-forbidden', kind: 'wait' })
    world.sandbox.control.setStake({ stakedWei: 10n ** 19n })
  },
})

rule('POST bodies are JSON in UTF-8.', 'What the service does', {
  sandbox: async () => {
    const { submitterKey, url } = world.sandbox
    const body = JSON.stringify({ ...REGISTRATION, title: 'visage – 顔 🙂' })
    const request = { method: 'POST', target: REGISTER, body }
    const plain = await sendSigned(url, submitterKey, { ...request, headers: { 'content-type': 'text/plain' } })
    expect(plain.status).toBe(415)
    expect((await sendSigned(url, submitterKey, { ...request, body: '{' })).status).toBe(400)
    expect((await sendSigned(url, submitterKey, request)).json.asset.title).toBe('visage – 顔 🙂')
  },
  client: async () => {
    for (const { headers, body } of (await everyClientRequest()).filter(({ method }) => method === 'POST')) {
      expect(headers['content-type']).toMatch(/^application\/json(; ?charset=utf-8)?$/)
      expect(Number(headers['content-length'])).toBe(Buffer.byteLength(body, 'utf8'))
      expect(() => JSON.parse(body)).not.toThrow()
    }
  },
})

rule('The signing secret is never sent on the wire.', 'Resources, API key', {
  sandbox: async () => {
    const { attesterKey } = world.sandbox
    expect((await world.asAttester('GET', MEDIA)).body.toString()).not.toContain(attesterKey.signingSecret)
  },
  client: async () => {
    await everyClientRequest()
    const { attesterKey, submitterKey } = world.sandbox
    for (const { signingSecret } of [attesterKey, submitterKey]) expect(world.wire.sent()).not.toContain(signingSecret)
  },
})
