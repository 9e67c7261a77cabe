import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { type FaultRun, onWalletSession, startRun } from '../support/fault-run.js'
import { answering, WireRecorder } from '../support/wire-recorder.js'

const CHALLENGE = '/v1/auth/challenge'
const SESSION = '/v1/auth/session'
const ASSETS = 4
/** How long the service gives out challenges that are no good, milliseconds. */
const BAD_MS = 6_000
/** More tries than pauses of 1, 2, 4, … seconds leave room for would be a storm. */
const MOST_TRIES = 8

let run: FaultRun

afterEach(() => run.bench.dispose())

onWalletSession('a service that gives out challenges that are no good', () => {
  test.each(['used', 'expired'])(
    '(%s): the daemon asks at growing intervals, and works when they are good',
    async (how) => {
      run = await startRun('embedded', { api: 'wallet-session' })
      const { bench } = run
      const wire = await WireRecorder.start(bench.sandbox.url)
      try {
        const { address } = bench.sandbox.wallets.attester
        const given = (await (await fetch(`${wire.url}${CHALLENGE}?address=${address}`)).json()) as { nonce: string }
        const expired = { expiresAt: Math.floor(Date.now() / 1000) - 3_600 }
        // The same one again and again: good for the first session at most, of which the service has heard before.
        wire.stand = answering(CHALLENGE, 200, how === 'used' ? given : { ...given, ...expired })
        if (how === 'used') await fetch(`${wire.url}${SESSION}`, usedUp(given.nonce))
        const before = wire.requests.length
        const refusals = () => wire.to('POST', SESSION).filter(({ status }) => status === 401).length
        await bench.registerMany(ASSETS, how)
        const daemon = run.start('daemon-0', { ATTESTD_SERVICE_URL: wire.url })
        await bench.until('a first challenge', () => wire.to('GET', CHALLENGE).length > 1)
        await sleep(BAD_MS)
        const asked = wire.requests.slice(before).filter(({ target }) => target.startsWith('/v1/auth'))
        expect(asked.length).toBeLessThanOrEqual(2 * MOST_TRIES)
        if (how === 'used') expect(refusals()).toBeGreaterThanOrEqual(2)
        // What has expired is not even signed.
        else expect(wire.to('POST', SESSION)).toEqual([])
        expect(bench.sandbox.control.scoreAttempts()).toEqual([])
        expect(daemon.output).toContain(how === 'used' ? 'service-unauthorized' : 'challenge-untrusted')
        wire.stand = null
        await bench.expectExactlyOneEach()
        expect(daemon.running, daemon.output).toBe(true)
      } finally {
        await wire.close()
      }
    },
  )
})

/** A session request whose signature is nobody's: it uses the challenge up all the same. */
function usedUp(nonce: string): RequestInit {
  const body = JSON.stringify({ nonce, signature: `0x${'11'.repeat(65)}` })
  return { method: 'POST', headers: { 'content-type': 'application/json' }, body }
}
