import { generatePrivateKey } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import { diagnoseSignedKey } from '../../../src/app/doctor/diagnose-signed-key.js'
import { diagnoseWalletSession } from '../../../src/app/doctor/diagnose-wallet-session.js'
import type { Diagnosis } from '../../../src/app/doctor/diagnosis.js'
import { loadSettings } from '../../../src/config/load.js'
import type { Settings } from '../../../src/config/settings.js'
import type { Sandbox } from '../../../src/sandbox/create-sandbox.js'
import { startSandbox } from '../../support/sandbox.js'

type Env = Readonly<Record<string, string>>

/** A sandbox, and what doctor says with settings that fit it but for `own`. */
async function bench(
  onTestFinished: (close: () => Promise<void>) => void,
  options: Parameters<typeof startSandbox>[0] = {},
) {
  const sandbox = await startSandbox(options)
  onTestFinished(() => sandbox.close())
  const walletSession = (own: Env = {}) => said(diagnoseWalletSession(settingsOf(walletEnv(sandbox), own), {}))
  const signedKey = (own: Env = {}) => said(diagnoseSignedKey(settingsOf(keyEnv(sandbox), own)))
  return { sandbox, walletSession, signedKey }
}

const settingsOf = (env: Env, own: Env): Settings => loadSettings({ env: { ...env, ...own } }).settings

function chainEnv(sandbox: Sandbox): Env {
  const { contract, rpcUrl } = sandbox.chain
  return { ATTESTD_RPC_URLS: rpcUrl, ATTESTD_STAKE_CONTRACT: contract }
}

function walletEnv(sandbox: Sandbox): Env {
  return {
    ATTESTD_SERVICE_URL: sandbox.url,
    ATTESTD_SERVICE_API: 'wallet-session',
    ATTESTD_WALLET_KEY: sandbox.wallets.attester.privateKey,
    ...chainEnv(sandbox),
  }
}

function keyEnv({ attesterKey, url }: Sandbox): Env {
  const { accessKey, signingSecret } = attesterKey
  return { ATTESTD_SERVICE_URL: url, ATTESTD_ACCESS_KEY: accessKey, ATTESTD_SIGNING_SECRET: signingSecret }
}

/** By check, in order: sign, then what it says with its fix. */
async function said(diagnoses: AsyncIterable<Diagnosis>): Promise<Map<string, string>> {
  const lines = new Map<string, string>()
  for await (const { check, outcome, message, fix = '' } of diagnoses)
    lines.set(check, `${outcome}: ${message} ${fix}`.trim())
  return lines
}

describe.concurrent('doctor on a wallet-session service', () => {
  it('reports that each part works, and no secret', async ({ onTestFinished }) => {
    const { sandbox, walletSession } = await bench(onTestFinished)
    const lines = await walletSession()
    const { attester } = sandbox.wallets
    expect([...lines.keys()]).toEqual([
      'wallet',
      'service',
      'session',
      'clock',
      'open assets',
      'rpc',
      'stake contract',
      'eas contract',
    ])
    expect(lines.get('wallet')?.toLowerCase()).toBe(`ok: the local wallet ${attester.address} signs`)
    expect(lines.get('session')).toMatch(/^ok: opened until \d{4}-.*attester/)
    expect(lines.get('clock')).toMatch(/^ok: service time is known/)
    expect(lines.get('rpc')).toMatch(/^ok: http:\/\/127\.0\.0\.1:\d+ is on chain 84532, block \d+ is /)
    expect(lines.get('stake contract')).toMatch(/^ok: staked 2[\d.]* ether of at least 1[\d.]*; roles: attester/)
    expect(lines.get('eas contract')).toMatch(/^skipped: there is none at /)
    expect([...lines.values()].join()).not.toContain(attester.privateKey.slice(2))
  })

  it.for([0, null])(
    'an hour from the local clock, with a Date of %j, only the local clock is wrong',
    async (dateOffsetMs, context) => {
      const { walletSession } = await bench(context.onTestFinished, { clockOffsetMs: -3_600_000, dateOffsetMs })
      const lines = await walletSession()
      const failed = [...lines].filter(([, line]) => line.startsWith('failed'))
      expect(failed).toEqual([['clock', expect.stringMatching(/\[clock-off\]/)]])
      expect(lines.get('rpc')).toMatch(/is -?\d\.\d s old/)
    },
  )

  it('names the contradiction where the Date of the service differs from the time of the blocks', async ({
    onTestFinished,
  }) => {
    const { walletSession } = await bench(onTestFinished, { dateOffsetMs: -3_600_000 })
    expect((await walletSession()).get('clock')).toMatch(
      /^failed: The service contradicts itself: service time .* ahead of the Date/,
    )
  })

  it('a wallet without the attester role fails at the session and at the contract', async ({ onTestFinished }) => {
    const { walletSession } = await bench(onTestFinished)
    const lines = await walletSession({ ATTESTD_WALLET_KEY: generatePrivateKey() })
    expect(lines.get('wallet')).toMatch(/^ok/)
    expect(lines.get('session')).toMatch(/^failed: .*\[role-missing\]/)
    expect(lines.get('stake contract')).toMatch(/^failed: .*the wallet has no role.*\[role-missing\]/)
    expect(lines.has('open assets')).toBe(false)
  })

  it('no wallet or an unexpected one is named; the chain is checked all the same', async ({ onTestFinished }) => {
    const { walletSession } = await bench(onTestFinished)
    const none = await walletSession({ ATTESTD_WALLET_KEY: '' })
    expect(none.get('wallet')).toBe('skipped: not set: ATTESTD_WALLET_KEY')
    expect(none.get('rpc')).toMatch(/^ok/)
    const other = await walletSession({ ATTESTD_WALLET_ADDRESS: `0x${'11'.repeat(20)}` })
    expect(other.get('wallet')).toMatch(/^failed: .*\[wallet-unusable\]/)
    expect(other.get('session')).toBe('skipped: not without a wallet')
  })

  it('each RPC endpoint is checked separately, and named by its origin', async ({ onTestFinished }) => {
    const { sandbox, walletSession } = await bench(onTestFinished)
    const { rpcUrl } = sandbox.chain
    const wrong = await walletSession({ ATTESTD_CHAIN_ID: '8453' })
    expect(wrong.get('rpc')).toMatch(/^failed: .*\[rpc-wrong-chain\]/)
    const one = await walletSession({ ATTESTD_RPC_URLS: `${rpcUrl},http://127.0.0.1:9/secret-key` })
    // The last of the two is the one that does not answer; the contract is read at the other.
    expect(one.get('rpc')).toMatch(/^failed: .*\[rpc-unreachable\]/)
    expect(one.get('rpc')).not.toContain('secret-key')
    expect(one.get('stake contract')).toMatch(/^ok/)
  })

  it('a stake below the minimum and an address without a contract', async ({ onTestFinished }) => {
    const { sandbox, walletSession } = await bench(onTestFinished)
    sandbox.control.setStake({ stakedWei: 5n })
    expect((await walletSession()).get('stake contract')).toMatch(
      /^failed: Staked 0.000000000000000005 ether.*\[stake-low\]/,
    )
    const lines = await walletSession({ ATTESTD_STAKE_CONTRACT: `0x${'22'.repeat(20)}` })
    expect(lines.get('stake contract')).toMatch(/^failed: .*\[stake-contract-unreadable\]/)
  })
})

describe.concurrent('doctor on a signed-key service', () => {
  it('a clock that is two hours off is a failure, and the other checks still run', async ({ onTestFinished }) => {
    const { signedKey } = await bench(onTestFinished, { clockOffsetMs: 7_200_000 })
    const lines = await signedKey()
    expect(lines.get('clock')).toMatch(
      /^failed: Service time is known; the local clock is .* behind it\. {2}\[clock-off] Synchronize the clock/,
    )
    expect(lines.get('key and stake')).toMatch(/^ok: /)
  })

  it('compares with the stake contract where one is set', async ({ onTestFinished }) => {
    const { sandbox, signedKey } = await bench(onTestFinished)
    expect([...(await signedKey()).keys()]).toEqual(['service', 'clock', 'key and stake'])
    const chain = chainEnv(sandbox)
    expect((await signedKey(chain)).get('stake contract')).toBe('skipped: ATTESTD_WALLET_ADDRESS is not set')
    const wallet = { ...chain, ATTESTD_WALLET_ADDRESS: sandbox.attesterKey.wallet }
    expect((await signedKey(wallet)).get('stake contract')).toMatch(
      /^ok: staked 2[\d.]* ether.*, as the service reports$/,
    )
    const other = sandbox.control.createKey({ kind: 'attester' })
    sandbox.control.setStake({ wallet: other.wallet!, stakedWei: 7n })
    const lines = await signedKey({ ...chain, ATTESTD_WALLET_ADDRESS: other.wallet! })
    expect(lines.get('stake contract')).toMatch(/^failed: .*holds 0.000000000000000007 ether.*\[stake-disagreement\]/)
  })

  it('without a key skips that part; a wrong key or an unreachable service is a named failure', async ({
    onTestFinished,
  }) => {
    const { sandbox, signedKey } = await bench(onTestFinished)
    expect((await signedKey({ ATTESTD_SIGNING_SECRET: '' })).get('key')).toMatch(/^skipped: .*is not set$/)
    const wrong = await signedKey({ ATTESTD_SIGNING_SECRET: 'another-secret' })
    expect([wrong.get('service'), wrong.get('key and stake')]).toEqual([
      expect.stringMatching(/^ok: /),
      expect.stringMatching(/^failed: .*\[service-unauthorized\]/),
    ])
    await sandbox.close()
    const away = await signedKey()
    expect([...away.keys()]).toEqual(['service', 'clock', 'key and stake'])
    expect(away.get('service')).toMatch(/^failed: .*\[service-unreachable\]/)
    expect(JSON.stringify([...wrong, ...away])).not.toContain('another-secret')
  })
})
