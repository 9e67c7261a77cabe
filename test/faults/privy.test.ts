import { expect, it, onTestFinished } from 'vitest'
import { onWalletSession, startRun } from '../support/fault-run.js'
import { type PrivyFault, PrivyStub } from '../support/privy-stub.js'

const ASSETS = 4
const WALLET_TIMEOUT_MS = 1_000

/** What Privy does with so many signing requests, and the reason that the daemon gives for it; null: none. */
const FAULTS: readonly { what: string; fault: PrivyFault; times: number; reason: string | null }[] = [
  { what: 'slow', fault: { kind: 'slow', ms: 600 }, times: 6, reason: null },
  { what: '429', fault: { kind: 'status', status: 429, retryAfter: '1' }, times: 3, reason: 'wallet-rate-limited' },
  { what: '503', fault: { kind: 'status', status: 503 }, times: 3, reason: 'wallet-unreachable' },
  { what: 'silent', fault: { kind: 'hang' }, times: 2, reason: 'wallet-unreachable' },
  { what: 'cut off', fault: { kind: 'cut' }, times: 3, reason: 'wallet-unreachable' },
  { what: 'signed by another key', fault: { kind: 'wrong-signature' }, times: 3, reason: 'signature-wrong' },
  { what: 'signed with a high s', fault: { kind: 'high-s' }, times: 3, reason: 'signature-wrong' },
]

onWalletSession('a wallet at Privy', () => {
  it.each(FAULTS)('$what: nothing wrong is sent, and each asset has one score', async (row) => {
    const run = await startRun('embedded', { api: 'wallet-session' })
    const { bench } = run
    const privy = await PrivyStub.start({ privateKey: bench.sandbox.wallets.attester.privateKey })
    onTestFinished(() => privy.close())
    const daemon = run.startHere('daemon-0', {
      ...privy.env,
      ATTESTD_WALLET_TIMEOUT_MS: String(WALLET_TIMEOUT_MS),
    })
    await daemon.ready()
    privy.setFault(row.fault, row.times)
    await bench.registerMany(ASSETS, row.fault.kind)
    await bench.expectExactlyOneEach()
    expect(bench.sandbox.world.scores.attempts().map(({ outcome }) => outcome)).toEqual(Array(ASSETS).fill('stored'))
    expect(privy.requests.filter(({ refused }) => refused !== null)).toEqual([])
    if (row.reason !== null) expect(daemon.output).toContain(row.reason)
    for (const secret of [privy.appSecret, privy.authorizationKey!]) expect(daemon.output).not.toContain(secret)
    expect(daemon.running, daemon.output).toBe(true)
  })
})
