import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import type { Address } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Sandbox } from '../../../src/sandbox/create-sandbox.js'
import { findAnvil } from '../../../src/sandbox/registry/anvil-process.js'
import type { SandboxOptions } from '../../../src/sandbox/sandbox-options.js'
import { startSandbox } from '../../support/sandbox.js'
import { send } from '../../support/sandbox-requests.js'
import { SessionBench } from '../wallet-session/session-bench.js'

const anvil = findAnvil(process.env.PATH)
const WEI = 10n ** 18n
const STRANGER: Address = `0x${'5'.repeat(40)}`

async function admin(sandbox: Sandbox, method: string, target: string, body?: unknown) {
  const json = body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
  return send(sandbox.url, { method, target, ...json })
}

describe.skipIf(anvil === null)('the registry on anvil (skipped where anvil is not installed)', () => {
  let sandbox: Sandbox
  beforeAll(async () => {
    sandbox = await startSandbox({ chain: 'anvil' })
  })
  afterAll(() => sandbox.close())

  it('says what it is', async () => {
    const { registry } = sandbox
    expect(registry.kind).toBe('anvil')
    const state = (await admin(sandbox, 'GET', '/sandbox/state')).json
    const { contract, rpcUrl } = registry
    const summary = expect.stringContaining('on a local anvil')
    expect(state.chain).toEqual({ kind: 'anvil', chainId: 84532, contract, rpcUrl, summary })
    const asked = { method: 'POST', target: '/', body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}' }
    const answer = await send(registry.rpcUrl ?? '', { ...asked, headers: { 'content-type': 'application/json' } })
    expect(answer.json.result).toBe('0x14a34')
  })

  it('holds roles and stake of the default wallets, and nothing of a stranger', async () => {
    const { registry, wallets } = sandbox
    expect(await registry.rolesOf(wallets.attester.address)).toEqual({ attester: true, submitter: false })
    expect(await registry.rolesOf(wallets.submitter.address)).toEqual({ attester: false, submitter: true })
    expect(await registry.stakeOf(wallets.attester.address)).toEqual({ stakedWei: 2n * WEI, minStakeWei: WEI })
    expect(await registry.rolesOf(STRANGER)).toEqual({ attester: false, submitter: false })
    expect((await registry.stakeOf(STRANGER)).stakedWei).toBe(0n)
  })

  it('makes a block each second, so that chain time is fresh', async () => {
    const { timestamp, number } = await sandbox.registry.head()
    expect(Math.abs(timestamp - Date.now() / 1000)).toBeLessThan(30)
    await expect.poll(async () => (await sandbox.registry.head()).number, { timeout: 10_000 }).toBeGreaterThan(number)
  })

  it('takes stake and minimum into book and contract', async () => {
    const { control, registry, wallets } = sandbox
    const reply = control.setStake({ stakedWei: 5n * WEI, minStakeWei: 3n * WEI })
    await reply
    expect(await registry.stakeOf(wallets.attester.address)).toEqual({ stakedWei: 5n * WEI, minStakeWei: 3n * WEI })
    await admin(sandbox, 'PUT', '/sandbox/stake', { wallet: STRANGER, stakedWei: '7' })
    expect((await registry.stakeOf(STRANGER)).stakedWei).toBe(7n)
  })

  it('takes roles, with the stake that the books give the wallet', async () => {
    const wallet: Address = `0x${'A'.repeat(40)}`
    const { registry } = sandbox
    expect((await admin(sandbox, 'PUT', '/sandbox/roles', { wallet, attester: true })).status).toBe(200)
    expect(await registry.rolesOf(wallet)).toEqual({ attester: true, submitter: false })
    expect((await registry.stakeOf(wallet)).stakedWei).toBe(2n * WEI)
    await admin(sandbox, 'PUT', '/sandbox/roles', { wallet, submitter: true, attester: false })
    expect(await registry.rolesOf(wallet)).toEqual({ attester: false, submitter: true })
    expect((await admin(sandbox, 'PUT', '/sandbox/roles', { wallet: '0x1' })).status).toBe(400)
  })

  it('takes many changes at once, one nonce after the other', async () => {
    const wallets = Array.from({ length: 20 }, (_, nth): Address => `0x${`${nth + 10}`.repeat(20)}`)
    await Promise.all(wallets.map((wallet, nth) => sandbox.control.setStake({ wallet, stakedWei: BigInt(nth) })))
    const held = await Promise.all(wallets.map((wallet) => sandbox.registry.stakeOf(wallet)))
    expect(held.map(({ stakedWei }) => stakedWei)).toEqual(wallets.map((_, nth) => BigInt(nth)))
  })

  it('goes back to the start on reset', async () => {
    const { control, registry, wallets } = sandbox
    await control.setStake({ stakedWei: 1n, minStakeWei: 9n })
    await control.setRoles({ wallet: wallets.attester.address, attester: false })
    await control.setRoles({ wallet: STRANGER, attester: true })
    expect((await admin(sandbox, 'POST', '/sandbox/reset')).status).toBe(200)
    expect(await registry.stakeOf(wallets.attester.address)).toEqual({ stakedWei: 2n * WEI, minStakeWei: WEI })
    expect(await registry.rolesOf(wallets.attester.address)).toEqual({ attester: true, submitter: false })
    expect(await registry.rolesOf(STRANGER)).toEqual({ attester: false, submitter: false })
  })
})

describe.skipIf(anvil === null)('an anvil that dies (skipped where anvil is not installed)', () => {
  it('makes reads throw, the books go on, and a start brings all back at the same place', async () => {
    const sandbox = await startSandbox({ chain: 'anvil' })
    try {
      const { control, registry, wallets } = sandbox
      const place = [registry.contract, registry.rpcUrl]
      await control.setStake({ stakedWei: 4n * WEI })
      const before = await registry.head()
      process.kill(control.chain?.pid ?? 0, 'SIGKILL')
      await expect.poll(() => registry.head().then(String, (error) => error.reason)).toBe('rpc-unreachable')
      await expect(registry.rolesOf(wallets.attester.address)).rejects.toMatchObject({ reason: 'rpc-unreachable' })
      await expect(control.setStake({ stakedWei: 5n * WEI })).rejects.toMatchObject({ reason: 'rpc-unreachable' })
      const reply = await admin(sandbox, 'PUT', '/sandbox/stake', { stakedWei: String(6n * WEI) })
      expect([reply.status, reply.json.error.code]).toEqual([503, 'chain-unavailable'])

      await expect.poll(() => control.chain?.pid).toBeNull()
      await control.chain?.start()
      expect([registry.contract, registry.rpcUrl]).toEqual(place)
      expect((await registry.stakeOf(wallets.attester.address)).stakedWei).toBe(6n * WEI)
      expect(await registry.rolesOf(wallets.attester.address)).toEqual({ attester: true, submitter: false })
      expect((await registry.head()).number).toBeGreaterThan(before.number)
      // A start of one that runs is a new start.
      await control.chain?.start()
      expect((await registry.stakeOf(wallets.attester.address)).stakedWei).toBe(6n * WEI)
    } finally {
      await sandbox.close()
    }
  })

  it('is 503 on the wallet-session API, where roles are read on-chain each time', async () => {
    const bench = await SessionBench.start({ chain: 'anvil' })
    try {
      const { control, wallets } = bench.sandbox
      const token = await bench.token('attester')
      await control.setRoles({ wallet: wallets.attester.address, attester: false })
      expect((await bench.signIn(bench.attester)).status).toBe(403)
      await control.setRoles({ wallet: wallets.attester.address, attester: true, submitter: true })
      expect((await bench.signIn(bench.attester)).json.roles).toEqual(['submitter', 'attester'])

      process.kill(control.chain?.pid ?? 0, 'SIGKILL')
      await expect.poll(async () => (await bench.call('GET', '/v1/chain/latest', { token })).status).toBe(503)
      expect((await bench.signIn(bench.attester)).status).toBe(503)
      // Only what needs the chain fails.
      expect((await bench.call('GET', '/v1/assets/open', { token })).status).toBe(200)

      await control.chain?.start()
      expect((await bench.signIn(bench.attester)).json.roles).toEqual(['submitter', 'attester'])
      expect((await bench.call('GET', '/v1/chain/latest', { token })).status).toBe(200)
    } finally {
      await bench.close()
    }
  })

  it('is built again from what was kept, after a restart of the sandbox', async () => {
    const dataDirectory = await fs.mkdtemp(path.join(os.tmpdir(), 'attestd-sandbox-chain-'))
    try {
      const first = await startSandbox({ chain: 'anvil', dataDirectory })
      await first.control.setStake({ stakedWei: 9n, minStakeWei: 2n })
      await first.control.setRoles({ wallet: STRANGER, submitter: true })
      await first.close()
      const second = await startSandbox({ chain: 'anvil', dataDirectory })
      const { registry, wallets } = second
      expect(await registry.stakeOf(wallets.attester.address)).toEqual({ stakedWei: 9n, minStakeWei: 2n })
      expect(await registry.rolesOf(STRANGER)).toEqual({ attester: false, submitter: true })
      await second.close()
    } finally {
      await fs.rm(dataDirectory, { recursive: true })
    }
  })

  it('ends with the sandbox, also where that cannot listen', async () => {
    const first = await startSandbox({ chain: 'anvil' })
    const pid = first.control.chain?.pid ?? 0
    const port = Number(new URL(first.url).port)
    await expect(startSandbox({ chain: 'anvil', port })).rejects.toMatchObject({ reason: 'port-in-use' })
    expect(isAlive(pid)).toBe(true)
    await first.close()
    expect(isAlive(pid)).toBe(false)
  })
})

describe('the choice of the registry', () => {
  it.each([
    ['the default', {}],
    ['memory', { chain: 'memory' }],
  ] as const)('%s: in memory, which says so', async (_name, options: Partial<SandboxOptions>) => {
    const sandbox = await startSandbox(options)
    try {
      expect(sandbox.registry).toMatchObject({ kind: 'memory', contract: null, rpcUrl: null })
      const { json } = await admin(sandbox, 'GET', '/sandbox/state')
      expect(json.chain).toMatchObject({
        kind: 'memory',
        summary: expect.stringContaining('in memory, no chain'),
        rpcUrl: `${sandbox.url}/sandbox/rpc`,
      })
      const page = (await admin(sandbox, 'GET', '/')).body.toString()
      expect(page).toContain('in memory, no chain')
    } finally {
      await sandbox.close()
    }
  })

  it('auto: anvil where there is one, else memory', async () => {
    const sandbox = await startSandbox({ chain: 'auto', chainId: 8453 })
    await sandbox.close()
    expect(sandbox.registry).toMatchObject({ kind: findAnvil() === null ? 'memory' : 'anvil', chainId: 8453 })
  })

  it('in memory the chain can be stopped as well', async () => {
    const sandbox = await startSandbox()
    try {
      await admin(sandbox, 'POST', '/sandbox/chain/stop')
      await expect(sandbox.registry.head()).rejects.toMatchObject({ reason: 'rpc-unreachable' })
      await admin(sandbox, 'POST', '/sandbox/chain/start')
      expect((await sandbox.registry.head()).number).toBeGreaterThan(0n)
    } finally {
      await sandbox.close()
    }
  })
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
