import { describe, expect, it, onTestFinished } from 'vitest'
import { chainSettings } from '../../../src/config/chain-settings.js'
import { systemClock as clock } from '../../../src/core/clock.js'
import { DEFAULT_CHAIN_ID } from '../../../src/sandbox/choices.js'
import { checkOptions, type SandboxOptions } from '../../../src/sandbox/sandbox-options.js'
import { EAS } from '../../../src/sandbox/wallet-session/choices.js'
import { withReason } from '../../support/with-reason.js'
import { refusal, registration, SessionBench, STRANGER } from './session-bench.js'

async function startBench(options: Partial<SandboxOptions>): Promise<SessionBench> {
  const bench = await SessionBench.start(options)
  onTestFinished(() => bench.close())
  return bench
}

describe('without authentication', () => {
  it('everybody is the default wallet of the role that a route needs', async () => {
    const bench = await startBench({ disableAuth: true })
    const body = registration(bench.submitter.address)
    const made = await bench.call('POST', '/v1/assets', { body })
    expect(made.status).toBe(201)
    const list = await bench.call('GET', '/v1/assets/open')
    expect([list.status, list.json.assets[0].ownerAddress]).toEqual([200, bench.submitter.address.toLowerCase()])
    const asset = await bench.newAsset()
    const score = await bench.call('POST', `/v1/assets/${asset.id}/scores`, { body: await bench.score(asset) })
    expect([score.status, score.json.score.attesterAddress]).toEqual([201, bench.attester.address.toLowerCase()])
  })

  it('a session needs no role, and acts as its own wallet', async () => {
    const bench = await startBench({ disableAuth: true })
    const { token, roles } = (await bench.signIn(STRANGER)).json
    expect(roles).toEqual(['submitter', 'attester'])
    const body = registration(STRANGER.address)
    expect((await bench.call('POST', '/v1/assets', { token, body })).status).toBe(201)
    expect((await bench.call('POST', '/v1/assets', { body })).status).toBe(403)
  })

  it('attestations are verified all the same', async () => {
    const bench = await startBench({ disableAuth: true })
    const asset = await bench.newAsset()
    const body = await bench.score(asset, { signer: STRANGER })
    expect((await bench.call('POST', `/v1/assets/${asset.id}/scores`, { body })).status).toBe(400)
  })

  it.each([{ host: 'sandbox.example' }, { origin: 'https://page.example' }])(
    'answers this machine only, and no page of another site: %j',
    async (headers) => {
      const bench = await startBench({ disableAuth: true })
      const reply = await bench.call('GET', '/v1/assets/open', { headers })
      expect(refusal(reply)).toEqual([403, 'This route answers only to this machine.'])
      const { message, nonce } = (await bench.challenge(STRANGER.address)).json
      const body = { nonce, signature: await STRANGER.signMessage({ message }) }
      const session = await bench.call('POST', '/v1/auth/session', { body, headers })
      expect(refusal(session)).toEqual([403, 'This route answers only to this machine.'])
    },
  )

  it('a session is not valid at a service of the same secret with authentication', async () => {
    const sessionSecret = 'a session secret for tests'
    const open = await startBench({ disableAuth: true, sessionSecret })
    const { token } = (await open.signIn(STRANGER)).json
    const checked = await startBench({ sessionSecret })
    expect((await checked.call('GET', '/v1/assets/open', { token })).status).toBe(401)
  })
})

describe('options', () => {
  it('are refused without authentication where others are allowed', () => {
    const options = { clock, disableAuth: true, allowRemote: true }
    expect(() => checkOptions(options)).toThrow(withReason('setting-invalid'))
  })

  it('no rejection repeats a secret', () => {
    const secret = `0x${'fe'.repeat(31)}`
    const refused = () =>
      checkOptions({ clock, wallets: { attester: secret as `0x${string}` }, sessionSecret: 'tiny-secret' })
    expect(refused).toThrow(expect.not.objectContaining({ message: expect.stringMatching(/fefe|tiny/) }))
  })

  it('lifetimes can be set', async () => {
    const bench = await startBench({ challengeMs: 1_000, sessionMs: 2_000 })
    const challenge = (await bench.challenge(bench.attester.address)).json
    const session = (await bench.signIn(bench.attester)).json
    expect([challenge.expiresAt, session.expiresAt].map((at) => at - bench.clock.now() / 1000)).toEqual([1, 2])
  })

  it('fixed wallets are those of the roles and of the keys', async () => {
    const attester = `0x${'44'.repeat(32)}` as const
    const bench = await startBench({ wallets: { attester } })
    expect(bench.sandbox.wallets.attester.privateKey).toBe(attester)
    expect(bench.sandbox.attesterKey.wallet).toBe(bench.attester.address.toLowerCase())
    expect((await bench.signIn(bench.attester)).json.roles).toEqual(['attester'])
  })
})

it("chain, contract and schema are the daemon's defaults", () => {
  expect(String(DEFAULT_CHAIN_ID)).toBe(chainSettings.chainId.fallback)
  expect(EAS).toEqual({ contract: chainSettings.easContract.fallback, schema: chainSettings.easSchema.fallback })
})
