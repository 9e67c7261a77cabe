import { expect, it } from 'vitest'
import { silentLog } from '../../src/core/log.js'
import { Doppelgangers } from '../../src/pipeline/doppelgangers.js'
import { Gate } from '../../src/pipeline/gate.js'
import type { SharedTexts } from '../../src/queue/claims.js'
import { ManualClock } from '../support/manual-clock.js'

/** How long a score may still come on record, the error of the clock included, ms. */
const SETTLE_MS = 45_000
const ERROR_MS = 1000

/** What the daemons of one queue share. */
function sharedTexts() {
  const kept = new Map<string, string>()
  return {
    get: async (key: string) => kept.get(key) ?? null,
    set: async (key: string, text: string) => void kept.set(key, text),
  }
}

function setUp(policy: 'warn' | 'stop' = 'warn', texts: SharedTexts | null = null) {
  const clock = new ManualClock(Date.UTC(2026, 0, 1))
  const serviceClock = { now: () => clock.now(), state: () => ({ offsetMs: 0, errorBoundMs: ERROR_MS, trusted: true }) }
  const gate = new Gate({ clock, random: () => 1, serviceClock })
  gate.updateStake({ stakedWei: 1n, minStakeWei: 1n })
  let counted = 0
  const doppelgangers = new Doppelgangers({
    clock,
    serviceClock,
    settleMs: SETTLE_MS - ERROR_MS,
    policy,
    texts,
    gate,
    log: silentLog,
    onFound: () => counted++,
  })
  return { clock, gate, doppelgangers, counted: () => counted }
}

it('a score that may have been sent before the queue knew is no alarm; a later one is', async () => {
  const { clock, doppelgangers } = setUp()
  const started = clock.now()
  await clock.advance(10 * SETTLE_MS)
  expect(doppelgangers.isForeign(null)).toBe(false)
  expect(doppelgangers.isForeign(started + SETTLE_MS - 1)).toBe(false)
  expect(doppelgangers.isForeign(started + SETTLE_MS)).toBe(true)
})

it('a queue that may have lost records starts over', async () => {
  const { clock, doppelgangers } = setUp()
  await clock.advance(10 * SETTLE_MS)
  doppelgangers.forget()
  expect(doppelgangers.isForeign(clock.now())).toBe(false)
  await clock.advance(SETTLE_MS)
  expect(doppelgangers.isForeign(clock.now())).toBe(true)
})

it('warns and continues, or stops submitting until a restart', () => {
  const warned = setUp('warn')
  warned.doppelgangers.found('asset-1')
  expect(warned.doppelgangers.findings).toEqual({ scores: 1, lastAsset: 'asset-1' })
  expect(warned.counted()).toBe(1)
  expect(warned.gate.check()).toEqual({ open: true })

  const stopped = setUp('stop')
  stopped.doppelgangers.found('asset-1')
  stopped.gate.updateStake({ stakedWei: 2n, minStakeWei: 1n })
  expect(stopped.gate.check()).toMatchObject({ open: false, reason: 'doppelganger' })
})

it('stops the other daemons of the queue where the setting asks for it, except those started since', async () => {
  const texts = sharedTexts()
  const start = (policy: 'warn' | 'stop') => {
    const daemon = setUp(policy, texts)
    const end = new AbortController()
    return { ...daemon, end: () => end.abort(), following: daemon.doppelgangers.follow(end.signal) }
  }
  const daemons = { finder: start('stop'), other: start('stop') }
  const warned = start('warn')
  const look = async (daemon: ReturnType<typeof start>) => {
    await daemon.clock.untilSleeping()
    await daemon.clock.advance(10_000)
  }
  for (const daemon of Object.values(daemons)) await look(daemon)
  daemons.finder.doppelgangers.found('asset-1')
  for (const daemon of Object.values(daemons)) await look(daemon)
  expect(daemons.other.gate.closedFor).toBe('doppelganger')
  expect(daemons.other.doppelgangers.findings).toEqual({ scores: 1, lastAsset: 'asset-1' })
  expect(daemons.other.counted()).toBe(0)
  expect(warned.gate.check()).toEqual({ open: true })

  const restarted = start('stop')
  await look(restarted)
  expect(restarted.gate.check()).toEqual({ open: true })
  daemons.other.doppelgangers.found('asset-2')
  await look(daemons.other)
  await look(restarted)
  expect(restarted.gate.closedFor).toBe('doppelganger')
  for (const { end, following } of [...Object.values(daemons), warned, restarted]) {
    end()
    await following
  }
})

it('shares the alarm only where several processes serve the queue and the setting is to stop', () => {
  expect(setUp('stop', sharedTexts()).doppelgangers.isShared).toBe(true)
  expect(setUp('warn', sharedTexts()).doppelgangers.isShared).toBe(false)
  expect(setUp('stop', null).doppelgangers.isShared).toBe(false)
})
