import { type Address, createPublicClient, http, parseAbi } from 'viem'
import { expect, type TestContext } from 'vitest'
import type { SandboxOptions } from '../../../src/sandbox/sandbox-options.js'
import { rulesOf } from '../../support/conformance.js'
import { personalSign } from '../../support/hand-made-wallet.js'
import { startSandbox } from '../../support/sandbox.js'
import { send } from '../../support/sandbox-requests.js'
import { folderForTest } from '../../support/temporary-folder.js'
import { STRANGER, walletSessionWorld } from './world.js'

const on = rulesOf('wallet-session')
const onPrivate = on('every private route')
const onEvery = on('every route')
const world = walletSessionWorld()
const SERVER_ONLY = '– server only'
const SECRET = 'a session secret of this test'

async function other({ onTestFinished }: TestContext, options: Partial<SandboxOptions>) {
  const sandbox = await startSandbox(options)
  onTestFinished(() => sandbox.close())
  const get = (target: string, token?: string) =>
    send(sandbox.url, {
      method: 'GET',
      target,
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    })
  const signIn = async ({ address, privateKey } = sandbox.wallets.attester) => {
    const { message, nonce } = (await get(`/v1/auth/challenge?address=${address}`)).json
    const body = JSON.stringify({ nonce, signature: await personalSign(message, privateKey) })
    const headers = { 'content-type': 'application/json' }
    return send(sandbox.url, { method: 'POST', target: '/v1/auth/session', headers, body })
  }
  return { sandbox, get, signIn }
}

const abi = parseAbi([
  'function isAttester(address) view returns (bool)',
  'function isSubmitter(address) view returns (bool)',
])

onPrivate('Roles are read from the stake contract on-chain.', 'What the service does', {
  sandbox: async (context) => {
    const { sandbox, signIn } = await other(context, {})
    const { rpcUrl, contract } = sandbox.chain
    const client = createPublicClient({ transport: http(rpcUrl) })
    const onChain = (functionName: 'isAttester' | 'isSubmitter', account: Address) =>
      client.readContract({ address: contract, abi, functionName, args: [account] })
    const { attester } = sandbox.wallets
    expect([await onChain('isAttester', attester.address), await onChain('isSubmitter', attester.address)]).toEqual([
      true,
      false,
    ])
    expect((await signIn()).json.roles).toEqual(['attester'])
    expect((await signIn(STRANGER)).status).toBe(403)
    sandbox.control.setRoles({ wallet: STRANGER.address, submitter: true })
    expect(await onChain('isSubmitter', STRANGER.address)).toBe(true)
    expect((await signIn(STRANGER)).json.roles).toEqual(['submitter'])
  },
  client: '– it reads the contract too, for its own gate; the service decides',
})

onPrivate('Sessions are signed by the server with a configured session secret.', 'Authentication 6', {
  sandbox: async (context) => {
    const one = await other(context, { sessionSecret: SECRET })
    const same = await other(context, { sessionSecret: SECRET })
    const different = await other(context, { sessionSecret: `${SECRET}, changed` })
    const { token } = (await one.signIn()).json
    const statuses = [one, same, different].map(async ({ get }) => (await get('/v1/assets/open', token)).status)
    expect(await Promise.all(statuses)).toEqual([200, 200, 401])
  },
  client: SERVER_ONLY,
})

onPrivate('A development-only setting can disable authentication checks.', 'Authentication 6', {
  sandbox: async (context) => {
    const { get } = await other(context, { disableAuth: true })
    expect((await get('/v1/assets/open')).status).toBe(200)
    expect((await world.get('/v1/assets/open')).status).toBe(401)
    const exposed = startSandbox({ disableAuth: true, host: '0.0.0.0', allowRemote: true })
    await expect(exposed).rejects.toMatchObject({ reason: 'setting-invalid' })
  },
  client: SERVER_ONLY,
})

onEvery('State is kept in memory; durable persistence can be configured.', 'What the service does', {
  sandbox: async (context) => {
    const dataDirectory = await folderForTest()
    const first = await startSandbox({ dataDirectory })
    const { id } = await first.registerFile('kept.png', { content: Buffer.from('kept') })
    await first.close()
    const second = await other(context, { dataDirectory })
    expect(second.sandbox.world.assets.all().map((asset) => asset.id)).toEqual([id])
    const fresh = await other(context, {})
    expect(fresh.sandbox.world.assets.all()).toEqual([])
  },
  client: SERVER_ONLY,
})

onEvery('The running API exposes a machine-readable description (OpenAPI 3.1) and a documentation page.', 'Endpoints', {
  sandbox: async () => {
    const { json } = await world.get('/openapi.json')
    expect(json.openapi).toMatch(/^3\.1\./)
    expect(json.paths).toHaveProperty('/v1/assets/{id}/scores')
    const page = await world.get('/docs/')
    expect([page.status, page.headers['content-type']]).toEqual([200, expect.stringContaining('text/html')])
  },
  client: SERVER_ONLY,
})
