import http from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Sandbox } from '../../../src/sandbox/create-sandbox.js'
import { startSandbox } from '../../support/sandbox.js'
import { send, sendSigned } from '../../support/sandbox-requests.js'

const MEDIA = '/api/v1/attester/media'

let sandbox: Sandbox

beforeAll(async () => {
  sandbox = await startSandbox()
})
afterAll(() => sandbox.close())

async function admin(method: string, target: string, body?: unknown, headers: Record<string, string> = {}) {
  const json = body === undefined ? {} : { body: JSON.stringify(body) }
  const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
  return send(sandbox.url, { method, target, headers: { ...type, ...headers }, ...json })
}

const listed = async (
  key = sandbox.attesterKey as { accessKey: string; signingSecret: string },
  timestamp = Date.now(),
) => sendSigned(sandbox.url, key, { method: 'GET', target: MEDIA }, { timestamp })

describe('/sandbox', () => {
  it('sets and clears faults, and shows what was injected', async () => {
    const plan = { seed: '7', rules: [{ route: 'list', fault: 'status-500', probability: 1 }] }
    expect((await admin('PUT', '/sandbox/faults', plan)).status).toBe(200)
    expect((await listed()).status).toBe(500)
    const shown = (await admin('GET', '/sandbox/faults')).json
    expect(shown.plan).toEqual(plan)
    expect(shown.injected).toMatchObject([{ route: 'list', key: 'list', attempt: 1, kind: 'status-500' }])
    await admin('DELETE', '/sandbox/faults')
    expect((await listed()).status).toBe(200)
    expect((await admin('GET', '/sandbox/requests')).json.requests).toEqual([{ route: 'list', key: 'list', count: 2 }])
  })

  it('refuses a plan that no route can show', async () => {
    const reply = await admin('PUT', '/sandbox/faults', { rules: [{ route: 'list', fault: 'bad-block' }] })
    expect([reply.status, reply.json.error.code]).toEqual([400, 'request-invalid'])
  })

  it('skews the clock', async () => {
    await admin('PUT', '/sandbox/clock', { offsetMs: -3_600_000 })
    const { json } = await send(sandbox.url, { method: 'GET', target: '/api/v1/time' })
    expect(Math.abs(json.serverTime - (Date.now() - 3_600_000))).toBeLessThan(60_000)
    expect((await listed()).status).toBe(401)
    expect((await listed(undefined, json.serverTime)).status).toBe(200)
    await admin('PUT', '/sandbox/clock', { offsetMs: 0 })
  })

  it('sets the stake of a wallet and the minimum, beyond what a double can hold', async () => {
    const minStakeWei = '90071992547409930000000001'
    await admin('PUT', '/sandbox/stake', { stakedWei: '90071992547409930000000000', minStakeWei })
    expect((await listed()).json.error.code).toBe('stake-below-minimum')
    await admin('PUT', '/sandbox/stake', { stakedWei: minStakeWei })
    expect((await listed()).json.stake).toEqual({ stakedWei: minStakeWei, minStakeWei })
    expect((await admin('PUT', '/sandbox/stake', { stakedWei: '-1' })).status).toBe(400)
    await admin('POST', '/sandbox/reset')
    expect((await listed()).json.stake.stakedWei).toBe('2000000000000000000')
  })

  it('closes and opens assets, and lists all of them', async () => {
    const { id } = await sandbox.registerFile('f', { content: Buffer.from('x') })
    await admin('POST', `/sandbox/assets/${id}/close`)
    expect((await admin('GET', '/sandbox/assets')).json.assets).toMatchObject([{ id, status: 'closed' }])
    expect((await listed()).json.assets).toEqual([])
    await admin('POST', `/sandbox/assets/${id}/open`)
    expect((await listed()).json.assets).toMatchObject([{ id, status: 'open' }])
    expect((await admin('POST', '/sandbox/assets/none/open')).status).toBe(404)
  })

  it('shows scores with their history, and no whole access key', async () => {
    const { id } = await sandbox.registerFile('g', { content: Buffer.from('y') })
    const body = JSON.stringify({ deepfakeRiskScore: 1, algorithm: 'a' })
    const request = { method: 'POST', target: `${MEDIA}/${id}/scores`, body }
    await sendSigned(sandbox.url, sandbox.attesterKey, request)
    await sendSigned(sandbox.url, sandbox.attesterKey, request)
    const reply = await admin('GET', '/sandbox/scores')
    expect(reply.json.scores).toMatchObject([{ assetId: id, deepfakeRiskScore: 1 }])
    expect(reply.json.attempts).toMatchObject([
      { assetId: id, attempt: 1, outcome: 'stored', attesterAddress: sandbox.attesterKey.wallet },
      { assetId: id, attempt: 2, outcome: 'same' },
    ])
    expect(reply.body.toString()).not.toContain(sandbox.attesterKey.accessKey)
  })

  it('creates keys for any wallet, lists them without secrets, revokes them', async () => {
    const wallet = `0x${'A'.repeat(40)}`
    const made = (await admin('POST', '/sandbox/keys', { kind: 'attester', wallet })).json
    expect(made.key.wallet).toBe(wallet.toLowerCase())
    expect((await listed(made)).status).toBe(200)
    const list = (await admin('GET', '/sandbox/keys')).body.toString()
    expect(list).toContain(made.key.id)
    expect(list).not.toContain(made.signingSecret)
    await admin('DELETE', `/sandbox/keys/${made.key.id}`)
    expect((await listed(made)).json.error.code).toBe('key-revoked')
    const unlinked = (await admin('POST', '/sandbox/keys', { kind: 'attester', wallet: null })).json
    expect((await listed(unlinked)).json.error.code).toBe('wallet-not-linked')
  })

  it('shows its contents, and drops them on reset', async () => {
    await sandbox.registerFile('h', { content: Buffer.from('z') })
    expect((await admin('GET', '/sandbox/state')).json.openAssets).toBeGreaterThan(0)
    await admin('POST', '/sandbox/reset')
    const state = (await admin('GET', '/sandbox/state')).json
    expect([state.assets, state.scores, state.clockOffsetMs]).toEqual([0, 0, 0])
    expect((await listed()).status).toBe(200)
  })
})

it.each([
  ['a name that was rebound', { host: 'evil.example' }],
  ['another page', { origin: 'https://evil.example' }],
  ['a page without origin', { origin: 'null' }],
])('only this machine reaches /sandbox: %s does not', async (_name, headers) => {
  const reply = await admin('POST', '/sandbox/reset', undefined, headers)
  expect([reply.status, reply.json.error.code]).toEqual([403, 'loopback-only'])
})

describe('startSandbox', () => {
  it('listens elsewhere where allowed, and still limits /sandbox to this machine', async () => {
    const open = await startSandbox({ host: '0.0.0.0', allowRemote: true })
    const { port } = new URL(open.url)
    const reply = await send(`http://127.0.0.1:${port}`, { method: 'GET', target: '/sandbox/state' })
    await open.close()
    expect(reply.status).toBe(200)
  })

  it('closes while requests hang and connections idle', async () => {
    const own = await startSandbox({ faults: { rules: [{ route: 'time', fault: 'no-reply' }] } })
    const hanging = send(own.url, { method: 'GET', target: '/api/v1/time' })
    const agent = new http.Agent({ keepAlive: true })
    await new Promise((resolve, reject) => {
      http
        .get(`${own.url}/api/v1/ping`, { agent }, (response) => response.resume().on('end', resolve))
        .on('error', reject)
    })
    const failed = expect(hanging).rejects.toThrow()
    await own.close()
    await failed
    agent.destroy()
  })
})
