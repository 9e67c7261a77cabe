import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, type TestContext } from 'vitest'
import { type FaultRun, onWalletSession, startRun } from '../support/fault-run.js'
import { answering, WireRecorder } from '../support/wire-recorder.js'

const CHALLENGE = '/v1/auth/challenge'
const SESSION = '/v1/auth/session'
const ASSETS = 4
const SHORT_SESSION_MS = 3_000
/** How long the service gives out challenges that are no good, milliseconds. */
const BAD_MS = 6_000
/** More tries than pauses of 1, 2, 4, … seconds leave room for would be a storm. */
const MOST_TRIES = 8

/** A recorder before the service, and a challenge that the service issued through it. */
async function withChallenge({ bench }: FaultRun, context: TestContext) {
  const wire = await WireRecorder.forTest(bench.sandbox.url, context)
  const { address } = bench.sandbox.wallets.attester
  const challenge = (await (await fetch(`${wire.url}${CHALLENGE}?address=${address}`)).json()) as { nonce: string }
  return { wire, challenge }
}

const asksForSessions = ({ requests }: WireRecorder) => requests.filter(({ target }) => target.startsWith('/v1/auth'))

onWalletSession('a service that gives out challenges that are no good', () => {
  it('used ones, in the middle: requests back off, and each asset has one score', async (context) => {
    const run = await startRun('embedded', { api: 'wallet-session', sessionMs: SHORT_SESSION_MS })
    const { bench } = run
    const { wire, challenge } = await withChallenge(run, context)
    await fetch(`${wire.url}${SESSION}`, usedUp(challenge.nonce))
    await bench.registerMany(ASSETS, 'used')
    const daemon = run.startHere('daemon-0', { ATTESTD_SERVICE_URL: wire.url })
    await bench.allScored()
    const before = asksForSessions(wire).length
    const refused = wire.to('POST', SESSION).filter(({ status }) => status === 401).length
    wire.stand = answering(CHALLENGE, 200, challenge)
    await bench.until('refused sessions', () => {
      return wire.to('POST', SESSION).filter(({ status }) => status === 401).length >= refused + 2
    })
    await bench.registerMany(ASSETS, 'used')
    await sleep(BAD_MS)
    expect(asksForSessions(wire).length - before).toBeLessThanOrEqual(2 * MOST_TRIES)
    expect(bench.sandbox.world.scores.attempts()).toHaveLength(ASSETS)
    wire.stand = null
    await bench.expectExactlyOneEach()
    expect(daemon.running, daemon.output).toBe(true)
  })

  it('expired ones, at the start: nothing is signed, and work begins when they are valid', async (context) => {
    const run = await startRun('embedded', { api: 'wallet-session' })
    const { bench } = run
    const { wire, challenge } = await withChallenge(run, context)
    wire.stand = answering(CHALLENGE, 200, { ...challenge, expiresAt: Math.floor(Date.now() / 1000) - 3_600 })
    await bench.registerMany(ASSETS, 'expired')
    const before = asksForSessions(wire).length
    const daemon = run.startHere('daemon-0', { ATTESTD_SERVICE_URL: wire.url })
    await bench.until('a challenge that is not signed', () => daemon.output.includes('challenge-untrusted'))
    await sleep(BAD_MS)
    expect(asksForSessions(wire).length - before).toBeLessThanOrEqual(MOST_TRIES)
    expect(wire.to('POST', SESSION)).toEqual([])
    wire.stand = null
    await bench.expectExactlyOneEach()
    expect(daemon.running, daemon.output).toBe(true)
  })
})

/** A session request whose signature is nobody's: it uses the challenge up all the same. */
function usedUp(nonce: string): RequestInit {
  const body = JSON.stringify({ nonce, signature: `0x${'11'.repeat(65)}` })
  return { method: 'POST', headers: { 'content-type': 'application/json' }, body }
}
