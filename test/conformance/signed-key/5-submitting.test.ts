import { expect } from 'vitest'
import { rulesOf } from '../../support/conformance.js'
import { type RawReply, REGISTRATION, send, uploadFile } from '../../support/sandbox-requests.js'
import { answering } from '../../support/wire-recorder.js'
import { KEYS, REGISTER, signedKeyWorld } from './world.js'

const on = rulesOf('signed-key')
const rule = on('POST /api/v1/submitter/media')
const onCreate = on('POST /api/dashboard/api-keys')
const onRevoke = on('DELETE /api/dashboard/api-keys')
const world = signedKeyWorld()
const post = (changes: Record<string, unknown> = {}) =>
  world.asSubmitter('POST', REGISTER, { ...REGISTRATION, ...changes })
/** Sends what the client makes of it; @returns the body that went over the wire */
async function register(changes: Record<string, unknown> = {}) {
  await world.submitter.client.register({ ...REGISTRATION, ...changes })
  return JSON.parse(world.wire.last('POST', REGISTER).body)
}
/** Every one is refused by the service, and by the client before it sends anything. */
function refused(...changes: Record<string, unknown>[]) {
  return {
    sandbox: async () => {
      for (const change of changes) expect((await post(change)).status, JSON.stringify(change)).toBe(400)
    },
    client: async () => {
      const before = world.wire.to('POST', REGISTER).length
      for (const change of changes) {
        await expect(register(change), JSON.stringify(change)).rejects.toMatchObject({ reason: 'request-invalid' })
      }
      expect(world.wire.to('POST', REGISTER)).toHaveLength(before)
    },
  }
}

rule('Registers an asset, which attesters then find open.', 'Endpoints; What the service does', {
  sandbox: async () => {
    const reply = await post()
    expect(reply.status).toBe(201)
    expect((await world.asAttester('GET', `/api/v1/attester/media/${reply.json.asset.id}`)).status).toBe(200)
  },
  client: async () => {
    const { id } = await world.submitter.client.register(REGISTRATION)
    expect((await world.attester.service.find(String(id)))?.contentHash).toBe(REGISTRATION.contentHash)
  },
})

rule(
  'title, mediaContext, contentHash, uri, contributorAttestationUid and verificationDeadline are required.',
  'Endpoints',
  refused(...Object.keys(REGISTRATION).map((name) => ({ [name]: undefined }))),
)

rule(
  'mediaContext has at most 200 characters and may be empty.',
  'Endpoints; Limits',
  refused({ mediaContext: 'x'.repeat(201) }),
)

rule(
  'contentHash and contributorAttestationUid are 0x and 64 hex characters.',
  'Endpoints; Limits',
  refused(
    { contentHash: 'ab'.repeat(32) },
    { contentHash: `0x${'ab'.repeat(31)}` },
    { contributorAttestationUid: `0x${'zz'.repeat(32)}` },
  ),
)

rule('uri is typically ipfs://.', 'Endpoints', {
  sandbox: async () => {
    expect((await post()).json.asset.uri).toBe(REGISTRATION.uri)
  },
  client: async () => {
    expect((await register()).uri).toBe(REGISTRATION.uri)
  },
})

rule('verificationDeadline is an ISO-8601 timestamp.', 'Endpoints', refused({ verificationDeadline: 'tomorrow' }))

rule('verificationDeadline must be in the future.', 'Endpoints; Limits', {
  sandbox: async () => {
    expect((await post({ verificationDeadline: '2020-01-01T00:00:00Z' })).status).toBe(400)
    const soon = new Date(Date.now() + 60_000).toISOString()
    expect((await post({ verificationDeadline: soon })).status).toBe(201)
  },
  client: async () => {
    const late = register({ verificationDeadline: '2020-01-01T00:00:00Z' })
    await expect(late).rejects.toMatchObject({ kind: 'permanent' })
  },
})

rule('contentType is an optional hint: auto (the default), face, landscape.', 'Endpoints', {
  sandbox: async () => {
    for (const contentType of ['auto', 'face', 'landscape']) {
      expect((await post({ contentType })).json.asset.contentType).toBe(contentType)
    }
    expect((await post()).json.asset.contentType).toBe('auto')
  },
  client: async () => {
    expect((await register({ contentType: 'face' })).contentType).toBe('face')
    expect(await register()).not.toHaveProperty('contentType')
  },
})

rule('mediaType is optional: image, audio, video_short, video_long or text.', 'Endpoints', {
  sandbox: async () => {
    for (const mediaType of ['image', 'audio', 'video_short', 'video_long', 'text', undefined]) {
      expect((await post({ mediaType })).status).toBe(201)
    }
    expect((await post({ mediaType: 'hologram' })).status).toBe(400)
  },
  client: async () => {
    expect((await register({ mediaType: 'video_short' })).mediaType).toBe('video_short')
    await expect(register({ mediaType: 'hologram' })).rejects.toMatchObject({ reason: 'request-invalid' })
  },
})

rule('turnaround is optional: standard or priority_5min.', 'Endpoints', {
  sandbox: async () => {
    for (const turnaround of ['standard', 'priority_5min', undefined])
      expect((await post({ turnaround })).status).toBe(201)
    expect((await post({ turnaround: 'now' })).status).toBe(400)
  },
  client: async () => {
    expect((await register({ turnaround: 'priority_5min' })).turnaround).toBe('priority_5min')
    await expect(register({ turnaround: 'now' })).rejects.toMatchObject({ reason: 'request-invalid' })
  },
})

rule('ownerEmail and ownerAddress are taken from the access key and ignored in the body.', 'Endpoints', {
  sandbox: async () => {
    const { json } = await post({ ownerEmail: 'someone@else.example', ownerAddress: `0x${'9'.repeat(40)}` })
    expect(json.asset.ownerAddress.toLowerCase()).toBe(world.sandbox.submitterKey.wallet)
    expect(JSON.stringify(json)).not.toContain('someone@else.example')
  },
  client: async () => {
    expect(Object.keys(await register()).filter((name) => name.startsWith('owner'))).toEqual([])
  },
})

on('POST /api/media/upload')(
  'Accepts a file and returns its uri, typically ipfs://, for a registration.',
  'Endpoints, POST /api/v1/submitter/media',
  {
    sandbox: async () => {
      const { url, sessionToken } = world.sandbox
      const file = { target: '/api/media/upload', token: sessionToken, content: 'some bytes' }
      const { contentHash, uri } = (await uploadFile(url, file)).json
      expect(uri).toMatch(/^ipfs:\/\//)
      expect((await post({ contentHash, uri })).status).toBe(201)
    },
    client: async () => {
      const file = { name: 'a.png', content: Buffer.from('some bytes') }
      const { contentHash, uri } = await world.submitter.client.upload(file, world.sandbox.sessionToken)
      expect(uri).toMatch(/^ipfs:\/\//)
      expect((await register({ contentHash, uri })).uri).toBe(uri)
    },
  },
)

const create = (body: unknown, token = world.sandbox.sessionToken): Promise<RawReply> => {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  return send(world.sandbox.url, { method: 'POST', target: KEYS, headers, body: JSON.stringify(body) })
}
const revoke = (query: string, token = world.sandbox.sessionToken): Promise<RawReply> => {
  const headers = { authorization: `Bearer ${token}` }
  return send(world.sandbox.url, { method: 'DELETE', target: `${KEYS}${query}`, headers })
}

onCreate('Needs Authorization: Bearer with a session access token.', 'Endpoints; Authentication 6', {
  sandbox: async () => {
    expect((await create({ kind: 'attester', label: 'l' }, 'wrong')).status).toBe(401)
    const bare = { method: 'POST', target: KEYS, headers: { 'content-type': 'application/json' }, body: '{}' }
    expect((await send(world.sandbox.url, bare)).status).toBe(401)
  },
  client: async () => {
    const { sessionToken } = world.sandbox
    await world.attester.client.createKey({ kind: 'attester', label: 'l' }, sessionToken)
    const { headers } = world.wire.last('POST', KEYS)
    expect(headers.authorization).toBe(`Bearer ${sessionToken}`)
    expect(headers).not.toHaveProperty('service-signature')
  },
})

onCreate('The body has kind (attester or submitter) and label.', 'Endpoints', {
  sandbox: async () => {
    for (const kind of ['attester', 'submitter']) expect((await create({ kind, label: 'l' })).status).toBeLessThan(300)
    expect((await create({ kind: 'owner', label: 'l' })).status).toBe(400)
    expect((await create({ kind: 'attester' })).status).toBe(400)
  },
  client: async () => {
    await world.attester.client.createKey({ kind: 'submitter', label: 'my label' }, world.sandbox.sessionToken)
    expect(JSON.parse(world.wire.last('POST', KEYS).body)).toEqual({ kind: 'submitter', label: 'my label' })
  },
})

onCreate(
  'Answers { accessKey, signingSecret, key: { id, display (masked), kind }, warning }.',
  'Endpoints; Resources, API key',
  {
    sandbox: async () => {
      const { json } = await create({ kind: 'submitter', label: 'l' })
      expect(json).toMatchObject({
        accessKey: expect.any(String),
        signingSecret: expect.any(String),
        key: { id: expect.any(String), display: expect.any(String), kind: 'submitter' },
        warning: expect.any(String),
      })
      expect(json.key.display).not.toBe(json.accessKey)
      expect(json.accessKey.startsWith(json.key.display.slice(0, 7))).toBe(true)
    },
    client: async () => {
      const { client } = world.attester
      const made = await client.createKey({ kind: 'attester', label: 'l' }, world.sandbox.sessionToken)
      expect(made.key).toMatchObject({ id: expect.any(String), kind: 'attester' })
      world.wire.stand = answering(KEYS, 200, { ...made, signingSecret: undefined })
      const incomplete = client.createKey({ kind: 'attester', label: 'l' }, world.sandbox.sessionToken)
      await expect(incomplete).rejects.toMatchObject({ reason: 'service-reply-invalid' })
    },
  },
)

onCreate('An attester key begins with ak_att_, a submitter key with ak_sub_.', 'Resources, API key', {
  sandbox: async () => {
    expect((await create({ kind: 'attester', label: 'l' })).json.accessKey).toMatch(/^ak_att_/)
    expect((await create({ kind: 'submitter', label: 'l' })).json.accessKey).toMatch(/^ak_sub_/)
  },
  client: '– it accepts any access key',
})

onCreate('The signing secret is returned in the creation response only.', 'Resources, API key; Authentication 6', {
  sandbox: async () => {
    const { signingSecret } = (await create({ kind: 'attester', label: 'l' })).json
    for (const target of ['/sandbox/keys', '/sandbox/state']) {
      const reply = await send(world.sandbox.url, { method: 'GET', target })
      expect(reply.status).toBe(200)
      expect(reply.body.toString()).not.toContain(signingSecret)
    }
  },
  client: '– it keeps no secret',
})

onCreate('A key that was created signs requests at once.', 'What the service does', {
  sandbox: async () => {
    const made = (await create({ kind: 'submitter', label: 'l' })).json
    expect((await world.signed({ ...made, wallet: '' }, 'POST', REGISTER, REGISTRATION)).status).toBe(201)
  },
  client: async () => {
    const made = await world.attester.client.createKey({ kind: 'submitter', label: 'l' }, world.sandbox.sessionToken)
    expect(await world.client(made).client.register(REGISTRATION)).toMatchObject({ id: expect.any(String) })
  },
})

onRevoke('Needs the same bearer header as creation.', 'Endpoints', {
  sandbox: async () => {
    const { key } = (await create({ kind: 'attester', label: 'l' })).json
    expect((await revoke(`?id=${key.id}`, 'wrong')).status).toBe(401)
    expect((await revoke(`?id=${key.id}`)).status).toBe(200)
  },
  client: async () => {
    const { sessionToken } = world.sandbox
    const { key } = await world.attester.client.createKey({ kind: 'attester', label: 'l' }, sessionToken)
    await world.attester.client.revokeKey(key.id, sessionToken)
    expect(world.wire.last('DELETE', KEYS).headers.authorization).toBe(`Bearer ${sessionToken}`)
  },
})

onRevoke('The query names the id of the key, required; the key is revoked.', 'Endpoints; Authentication 6', {
  sandbox: async () => {
    expect((await revoke('')).status).toBe(400)
    const made = (await create({ kind: 'submitter', label: 'l' })).json
    await revoke(`?id=${made.key.id}`)
    expect((await world.signed({ ...made, wallet: '' }, 'POST', REGISTER, REGISTRATION)).status).toBe(401)
  },
  client: async () => {
    await expect(world.attester.client.revokeKey('a b&c', world.sandbox.sessionToken)).rejects.toThrow()
    expect(world.wire.last('DELETE', KEYS).target).toBe(`${KEYS}?id=a%20b%26c`)
  },
})
