import fs from 'node:fs/promises'
import path from 'node:path'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, expect, it } from 'vitest'
import { AttestdError } from '../../../src/core/errors.js'
import { startSandbox } from '../../support/sandbox.js'
import { type SandboxFacts, type SandboxProcess, startSandboxProcess } from '../../support/sandbox-process.js'
import { send, sendSigned, uploadFile } from '../../support/sandbox-requests.js'
import { folderForEach } from '../../support/temporary-folder.js'

const JSON_TYPE = { 'content-type': 'application/json' }

const folder = folderForEach()
const running: SandboxProcess[] = []
afterEach(async () => {
  await Promise.all(running.splice(0).map((sandbox) => sandbox.end('SIGKILL')))
})

async function start(...args: string[]): Promise<SandboxProcess> {
  const sandbox = await startSandboxProcess(['--data', folder, '--duplicates', 'store', ...args])
  running.push(sandbox)
  return sandbox
}

const admin = (url: string, method: string, target: string, body?: unknown) =>
  send(url, { method, target, ...(body === undefined ? {} : { body: JSON.stringify(body), headers: JSON_TYPE }) })

async function register(facts: SandboxFacts, content: string) {
  const { sessionToken: token, url } = facts
  const media = (await uploadFile(url, { target: '/api/media/upload', token, content })).json
  const body = JSON.stringify({
    title: content,
    mediaContext: '',
    contentHash: media.contentHash,
    uri: media.uri,
    contributorAttestationUid: media.contentHash,
    verificationDeadline: new Date(Date.now() + 3_600_000).toISOString(),
  })
  const request = { method: 'POST', target: '/api/v1/submitter/media', body, headers: JSON_TYPE }
  const { json } = await sendSigned(url, facts.submitterKey, request)
  return { ...json.asset, cid: media.cid }
}

async function signIn({ url, wallets }: SandboxFacts): Promise<string> {
  const wallet = privateKeyToAccount(wallets.attester.privateKey)
  const { message, nonce } = (await admin(url, 'GET', `/v1/auth/challenge?address=${wallet.address}`)).json
  const signature = await wallet.signMessage({ message })
  return (await admin(url, 'POST', '/v1/auth/session', { nonce, signature })).json.token
}

function score(facts: SandboxFacts, assetId: string, risk: number) {
  const body = JSON.stringify({ deepfakeRiskScore: risk, algorithm: 'a', notes: 'n' })
  const target = `/api/v1/attester/media/${assetId}/scores`
  return sendSigned(facts.url, facts.attesterKey, { method: 'POST', target, body, headers: JSON_TYPE })
}

it('kill -9 during many scores: every acknowledged one is there after the restart, once', async () => {
  const first = await start()
  const { facts } = first
  const asset = await register(facts, 'content')
  const acknowledged: string[] = []
  const posts = Array.from({ length: 200 }, async (_, nth) => {
    const reply = await score(facts, asset.id, nth / 2).catch(() => null)
    if (reply?.status !== 200) return
    acknowledged.push(reply.json.score.id)
    if (acknowledged.length === 40) void first.end('SIGKILL')
  })
  await Promise.all(posts)
  await first.end('SIGKILL')
  expect(acknowledged.length).toBeGreaterThanOrEqual(40)

  const second = await start()
  const { scores } = (await admin(second.facts.url, 'GET', '/sandbox/scores')).json
  const ids = scores.map(({ id }: { id: string }) => id)
  expect(ids).toEqual(expect.arrayContaining(acknowledged))
  expect(new Set(ids).size).toBe(ids.length)
  expect(scores[0]).toMatchObject({ assetId: asset.id, algorithm: 'a', notes: 'n', attestation: { version: 2 } })
})

it('keys, wallets, secrets, media, assets, stake and roles are the same after a kill -9', async () => {
  const first = await start()
  const { facts } = first
  const open = await register(facts, 'stays open')
  const closed = await register(facts, 'is closed')
  await admin(facts.url, 'POST', `/sandbox/assets/${closed.id}/close`)
  await admin(facts.url, 'PUT', '/sandbox/stake', { stakedWei: '4000000000000000000', minStakeWei: '3' })
  const wallet = `0x${'c'.repeat(40)}`
  await admin(facts.url, 'PUT', '/sandbox/roles', { wallet, attester: true })
  const made = (await admin(facts.url, 'POST', '/sandbox/keys', { kind: 'attester' })).json
  const revoked = (await admin(facts.url, 'POST', '/sandbox/keys', { kind: 'attester' })).json
  await admin(facts.url, 'DELETE', `/sandbox/keys/${revoked.key.id}`)
  const token = await signIn(facts)
  await first.end('SIGKILL')

  const { facts: after } = await start()
  const headers = { authorization: `Bearer ${token}` }
  expect((await send(after.url, { method: 'GET', target: '/v1/assets/open', headers })).status).toBe(200)
  expect({ ...after, url: '', chain: null }).toEqual({ ...facts, url: '', chain: null })
  const list = await sendSigned(after.url, after.attesterKey, { method: 'GET', target: '/api/v1/attester/media' })
  expect(list.json.assets.map(({ id }: { id: string }) => id)).toEqual([open.id])
  expect(list.json.stake).toEqual({ stakedWei: '4000000000000000000', minStakeWei: '3' })
  const media = await send(after.url, { method: 'GET', target: `/ipfs/${open.cid}?format=raw` })
  expect(media.body.toString()).toBe('stays open')
  const keys = (await admin(after.url, 'GET', '/sandbox/keys')).json.keys
  expect(keys).toHaveLength(4)
  expect((await score(after, open.id, 1)).status).toBe(200)
  // The new key's wallet is one of the sandbox's own: its key at the embedded wallet provider survived too.
  const attested = await score({ ...after, attesterKey: { id: '', ...made } }, open.id, 2)
  expect(attested.json.score.attestationUid).toMatch(/^0x/)
  expect((await score({ ...after, attesterKey: { id: '', ...revoked } }, open.id, 3)).json.error.code).toBe(
    'key-revoked',
  )
  // The same content again is a new asset, and not the id of the first.
  expect((await register(after, 'stays open')).id).not.toBe(open.id)
})

it('its files are readable by their owner only, and another sandbox may not open them', async () => {
  await start()
  expect((await fs.stat(path.join(folder, 'state.json'))).mode & 0o777).toBe(0o600)
  await expect(startSandbox({ dataDirectory: folder })).rejects.toMatchObject({ reason: 'data-dir-unusable' })
})

it.each<[string, (state: string) => string]>([
  ['of another version', () => '{"version":1}'],
  ['that is no JSON', () => 'not JSON, with a secret: sk_1'],
  ['that is empty', () => ''],
  ['with a field more', (state) => state.replace('{', '{"extra":1,')],
  ['with a bad private key', (state) => state.replace(/"attester":"0x[0-9a-f]+"/, '"attester":"0x00"')],
  ['without a session secret', (state) => state.replace(/"sessionSecret":"[^"]+"/, '"sessionSecret":""')],
  ['with a negative amount', (state) => state.replace('"minStakeWei":null', '"minStakeWei":"-1"')],
])('a state %s is named, and neither overwritten nor shown', async (_, spoil) => {
  await (await startSandbox({ dataDirectory: folder })).close()
  const file = path.join(folder, 'state.json')
  const text = spoil(await fs.readFile(file, 'utf8'))
  await fs.writeFile(file, text)
  const error = await startSandbox({ dataDirectory: folder }).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(AttestdError)
  expect((error as AttestdError).reason).toBe('sandbox-data-invalid')
  expect((error as AttestdError).message).toContain(file)
  expect((error as AttestdError).message).not.toContain('sk_')
  expect(await fs.readFile(file, 'utf8')).toBe(text)
})

it('the reset to the start is stored as well; keys and media stay', async () => {
  const first = await startSandbox({ dataDirectory: folder })
  await first.registerFile('f', { content: Buffer.from('x') })
  first.control.setStake({ stakedWei: 1n })
  first.control.setRoles({ wallet: first.wallets.attester.address, attester: false })
  first.control.createKey({ kind: 'submitter' })
  first.control.reset()
  await first.close()
  const second = await startSandbox({ dataDirectory: folder })
  expect(second.world.assets.all()).toEqual([])
  expect(second.world.keys.all()).toHaveLength(3)
  expect(second.registry.rolesOf(second.wallets.attester.address)).toEqual({ attester: true, submitter: false })
  expect(second.registry.stakeOf(second.wallets.attester.address).stakedWei).toBe(2n * 10n ** 18n)
  await second.close()
})

it('given values override stored ones', async () => {
  await (await startSandbox({ dataDirectory: folder })).close()
  const attesterKey = { accessKey: 'ak_att_given', signingSecret: 's' }
  const second = await startSandbox({ dataDirectory: folder, attesterKey, sessionToken: 'given' })
  await second.close()
  expect([second.attesterKey.accessKey, second.sessionToken]).toEqual(['ak_att_given', 'given'])
})

it('what cannot be written is not acknowledged, and is stored with the next change that can', async () => {
  const first = await startSandbox({ dataDirectory: folder })
  const file = path.join(folder, 'state.json')
  await fs.rm(file)
  await fs.mkdir(file)
  const refused = await admin(first.url, 'PUT', '/sandbox/stake', { minStakeWei: '7' })
  expect([refused.status, refused.json.error.code]).toEqual([500, 'internal-error'])
  await fs.rmdir(file)
  expect((await admin(first.url, 'POST', '/sandbox/keys', { kind: 'attester' })).status).toBe(200)
  const { books } = JSON.parse(await fs.readFile(file, 'utf8'))
  expect([books.minStakeWei, books.keys.length]).toEqual(['7', 3])
  await first.close()
})

it('removes leftovers of a killed sandbox, and nothing else', async () => {
  const media = path.join(folder, 'media')
  await fs.mkdir(media)
  for (const name of ['state.json.0123456789ab.tmp', 'media/block.0123456789ab.tmp', 'media/block', 'notes.tmp']) {
    await fs.writeFile(path.join(folder, name), 'half')
  }
  await (await startSandbox({ dataDirectory: folder })).close()
  expect((await fs.readdir(folder)).filter((name) => name.endsWith('.tmp'))).toEqual(['notes.tmp'])
  expect(await fs.readdir(media)).toEqual(['block'])
})
