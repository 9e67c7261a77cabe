import { expect, it } from 'vitest'
import { AttestdError } from '../../../src/core/errors.js'
import { silentLog } from '../../../src/core/log.js'
import { ServiceClock } from '../../../src/service/service-clock.js'
import { dateAttestation } from '../../../src/service/wallet-session/attestation-time.js'
import { ManualClock } from '../../support/manual-clock.js'

const WINDOW_MS = 30_000
const STORE_MS = 15_000
const BLOCK_MS = 2_000

/** Numbers of [0, 1) that are the same in every run (a linear congruential generator, constants of Numerical Recipes). */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/**
 * A service that judges by its own clock, and sees each block of the chain up to `maxLagMs` late.
 * @returns over many attestations, the smallest time between the last moment at which the service may store one that
 *   arrived at the end of its window, and the first at which the daemon asks for it and may send another, milliseconds
 */
async function smallestMargin(seed: number, maxLagMs: number): Promise<number> {
  const random = numbers(seed)
  const clock = new ManualClock()
  let lagMs = 0
  const block = async () => {
    const timestamp = Math.floor((clock.now() - lagMs) / BLOCK_MS) * (BLOCK_MS / 1000)
    return { number: timestamp, timestamp }
  }
  const readTime = async () => (await block()).timestamp * 1000
  const limits = { windowMs: WINDOW_MS, refreshMs: 300_000, granularityMs: BLOCK_MS }
  const service = new ServiceClock({ readTime, clock, log: silentLog, ...limits })
  await service.ready()
  let smallest = Number.POSITIVE_INFINITY
  const pass = async (ms: number) => {
    clock.tick(ms)
    if (random() < 0.2) lagMs = random() * maxLagMs
    if (random() < 0.1) await service.refresh()
  }
  for (let attestation = 0; attestation < 60; attestation++) {
    await pass(Math.round(random() * 20_000))
    const signedAt = service.now()
    const options = { latestBlock: block, clock, windowMs: WINDOW_MS }
    const dated = await dateAttestation(options, signedAt).catch((error: AttestdError) => error)
    if (dated instanceof AttestdError) continue
    const storedBy = dated.time * 1000 + WINDOW_MS + STORE_MS
    for (;;) {
      // As the pipeline waits: see `ask` in src/pipeline/submit.ts.
      const waitMs = signedAt + WINDOW_MS + STORE_MS + service.state().errorBoundMs! - service.now()
      if (waitMs <= 0) break
      await pass(Math.ceil(Math.min(waitMs, 1 + random() * 3_000)))
    }
    smallest = Math.min(smallest, clock.now() - storedBy)
  }
  return smallest
}

it.each([0, 500, 4_000, 12_000])(
  'no attestation can still be stored when another may be sent, with blocks seen up to %d ms late',
  async (maxLagMs) => {
    for (let seed = 1; seed <= 30; seed++) {
      const margin = await smallestMargin(seed, maxLagMs)
      expect(margin).toBeGreaterThanOrEqual(0)
      expect(margin).toBeLessThan(60_000)
    }
  },
)
