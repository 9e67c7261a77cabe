import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import { registerAsset } from '../../../src/sandbox/register-asset.js'
import { rulesOf } from '../../support/conformance.js'
import { REGISTRATION, uploadFile } from '../../support/sandbox-requests.js'
import { answering } from '../../support/wire-recorder.js'
import { ADDRESS, BYTES32, STRANGER, walletSessionWorld } from './world.js'

const on = rulesOf('wallet-session')
const onOwned = on('GET /v1/assets/by-owner')
const onRegister = on('POST /v1/assets')
const onUpload = on('POST /v1/media/upload')
const world = walletSessionWorld()
const UPLOAD = '/v1/media/upload'
const asSubmitter = { as: 'submitter' } as const
const MEGABYTE = 1024 * 1024

const upload = async (content: string | Uint8Array, field = 'file') =>
  uploadFile(world.sandbox.url, { target: UPLOAD, token: await world.token('submitter'), content, field })

onUpload('multipart/form-data with the field file.', 'Endpoints', {
  sandbox: async () => {
    expect((await upload('some bytes')).status).toBe(200)
    expect((await upload('some bytes', 'picture')).status).toBe(400)
    expect((await world.post(UPLOAD, '{}', asSubmitter)).status).toBe(415)
  },
  client: async () => {
    await world.asSubmitter().client.upload({ name: 'a.png', content: Buffer.from('some bytes') })
    const { headers, body } = world.wire.last('POST', UPLOAD)
    const [, boundary] = /^multipart\/form-data; boundary=(\S+)$/.exec(headers['content-type'] ?? '') ?? []
    expect(body.split(`--${boundary}`)).toHaveLength(3)
    expect(body).toMatch(/Content-Disposition: form-data; name="file"; filename="a\.png"/)
    expect(body).toContain('some bytes')
  },
})

onUpload('Answers with contentHash and uri.', 'Resources, Upload result', {
  sandbox: async () => {
    const content = Buffer.from('bytes with a hash')
    const { json } = await upload(content)
    expect(json.contentHash).toBe(`0x${createHash('sha256').update(content).digest('hex')}`)
    expect(json.uri).toEqual(expect.any(String))
  },
  client: async () => {
    const { client } = world.asSubmitter()
    const file = { name: 'a.png', content: Buffer.from('some bytes') }
    expect(await client.upload(file)).toMatchObject({
      contentHash: expect.stringMatching(BYTES32),
      uri: expect.any(String),
    })
    world.wire.stand = answering(UPLOAD, 200, { uri: 'ipfs://x' })
    await expect(client.upload(file)).rejects.toMatchObject({ reason: 'service-reply-invalid' })
  },
})

onUpload('Pins to IPFS when a pinning service is configured.', 'Endpoints', {
  sandbox: async () => {
    const { json } = await upload('pinned bytes')
    expect(json.uri).toMatch(/^ipfs:\/\//)
    const path = String(json.uri).replace('ipfs://', '/ipfs/')
    const pinned = await world.get(`${path}?format=raw`, { headers: { accept: 'application/vnd.ipld.raw' } })
    expect(pinned.body.toString()).toBe('pinned bytes')
  },
  client: '– the service chooses where it keeps the file',
})

onUpload('Up to 50 MB per file.', 'Limits', {
  sandbox: async () => {
    expect((await upload(Buffer.alloc(50_000_000))).status).toBe(200)
    expect((await upload(Buffer.alloc(50 * MEGABYTE + 1))).status).toBe(413)
  },
  client: async () => {
    const { client } = world.asSubmitter()
    world.wire.stand = answering(UPLOAD, 413, { error: 'too large' })
    const refused = client.upload({ name: 'a.png', content: Buffer.from('x') })
    await expect(refused).rejects.toMatchObject({ reason: 'upload-refused', kind: 'permanent' })
  },
})

onRegister(
  'The body has ownerAddress, title, mediaContext, contentHash, uri, contributorAttestationUid and verificationDeadline.',
  'Endpoints',
  {
    sandbox: async () => {
      const made = await world.post('/v1/assets', world.registration(), asSubmitter)
      expect(made.status).toBe(201)
      for (const name of Object.keys(world.registration())) {
        const { status } = await world.post('/v1/assets', world.registration({ [name]: undefined }), asSubmitter)
        expect(status, name).toBe(400)
      }
    },
    client: async () => {
      const { ownerAddress: _, ...registration } = world.registration()
      await world.asSubmitter().client.register(registration)
      expect(JSON.parse(world.wire.last('POST', '/v1/assets').body)).toEqual({
        ...registration,
        ownerAddress: expect.stringMatching(ADDRESS),
      })
    },
  },
)

onRegister('The asset is found open by attesters.', 'What the service does', {
  sandbox: async () => {
    const { id } = (await world.post('/v1/assets', world.registration(), asSubmitter)).json.asset
    expect((await world.get(`/v1/assets/${id}`, { as: 'attester' })).json.asset.status).toBe('open')
  },
  client: async () => {
    const { ownerAddress: _, ...registration } = world.registration()
    const made = await world.asSubmitter().client.register(registration)
    expect(await world.asAttester().service.find(String(made.id))).toMatchObject({
      contentHash: registration.contentHash,
    })
  },
})

onRegister('ownerAddress must equal the authenticated wallet, else 403.', 'Endpoints; Errors', {
  sandbox: async () => {
    const other = world.registration({ ownerAddress: STRANGER.address })
    expect((await world.post('/v1/assets', other, asSubmitter)).status).toBe(403)
    const cased = world.registration({ ownerAddress: `0x${world.submitter.address.slice(2).toUpperCase()}` })
    expect((await world.post('/v1/assets', cased, asSubmitter)).status).toBe(201)
  },
  client: async () => {
    const { ownerAddress: _, ...registration } = world.registration()
    await world.asSubmitter().client.register(registration)
    const { ownerAddress } = JSON.parse(world.wire.last('POST', '/v1/assets').body)
    expect(ownerAddress).toBe(world.submitter.address)
  },
})

onOwned('The query names the owner, required.', 'Endpoints', {
  sandbox: async () => {
    expect((await world.get('/v1/assets/by-owner', asSubmitter)).status).toBe(400)
    expect((await world.get(`/v1/assets/by-owner?owner=${world.submitter.address}`, asSubmitter)).status).toBe(200)
  },
  client: async () => {
    await world.asSubmitter().client.byOwner()
    const { target } = world.wire.last('GET', '/v1/assets/by-owner')
    const asked = new URL(target, 'http://x').searchParams
    expect(asked.get('owner')).toBe(world.submitter.address)
  },
})

onOwned('The owner must equal the authenticated address, else 403.', 'Endpoints; Errors', {
  sandbox: async () => {
    expect((await world.get(`/v1/assets/by-owner?owner=${STRANGER.address}`, asSubmitter)).status).toBe(403)
  },
  client: '– it asks for its own address',
})

onOwned("Answers with the owner's assets, with score counts and aggregate.", 'Endpoints; Resources, Asset', {
  sandbox: async () => {
    const asset = await world.newAsset()
    await world.postScore(asset)
    registerAsset(world.sandbox.world, REGISTRATION, STRANGER.address)
    const { json } = await world.get(`/v1/assets/by-owner?owner=${world.submitter.address}`, asSubmitter)
    const own = json.assets.find((one: { id: string }) => one.id === asset.id)
    expect(own).toMatchObject({ scoreCount: 1, aggregate: expect.any(Object) })
    const owners = json.assets.map((one: { ownerAddress: string }) => one.ownerAddress.toLowerCase())
    expect(new Set(owners)).toEqual(new Set([world.submitter.address]))
  },
  client: async () => {
    const asset = await world.newAsset()
    await world.postScore(asset)
    const owned = await world.asSubmitter().client.byOwner()
    expect(owned.find((one) => (one as { id: string }).id === asset.id)).toMatchObject({ scoreCount: 1 })
  },
})
