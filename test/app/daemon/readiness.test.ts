import { describe, expect, it } from 'vitest'
import { Activity } from '../../../src/app/daemon/activity.js'
import type { DiskRest } from '../../../src/app/daemon/disk-rest.js'
import { type ReadinessParts, registerReadiness } from '../../../src/app/daemon/readiness.js'
import { AttestdError } from '../../../src/core/errors.js'
import type { DetectorHost } from '../../../src/detect/detection.js'
import { createHealth } from '../../../src/observe/health.js'
import { Gate } from '../../../src/pipeline/gate.js'
import type { QueueEngine } from '../../../src/queue/queues.js'
import type { ServiceEvent } from '../../../src/service/port.js'
import type { ClockState } from '../../../src/service/service-clock.js'
import { ManualClock } from '../../support/manual-clock.js'

const WINDOW_MS = 30_000
const IDLE_MS = 90_000
const MIB = 1024 ** 2

/** The checks of a daemon, of which a test changes what it is about. */
function newReadiness(change: Partial<ReadinessParts> = {}) {
  const clock = new ManualClock()
  const health = createHealth({ clock })
  const time = { state: { offsetMs: 0, errorBoundMs: 20, trusted: true } as ClockState }
  const gate = new Gate({ clock, random: () => 0, serviceClock: { state: () => time.state } })
  const activity = new Activity(() => clock.monotonic())
  const findings = { scores: 0, lastAsset: null as string | null }
  const host = { lastInferenceAgoMs: 0, timeoutMs: 90_000, ready: 1, busy: 0, size: 1, unreachable: [] as string[] }
  const disk = { free: 900 * MIB, refusal: null as DiskRest['refusal'] }
  const queue = { ping: async () => {}, isPaused: async () => false }
  const parts: ReadinessParts = {
    health,
    draining: () => false,
    queue: queue as unknown as QueueEngine,
    disk: { free: async () => disk.free, leastBytes: 256 * MIB, rest: disk },
    detectors: { state: () => host } as unknown as DetectorHost,
    media: activity.media,
    stream: { activity, gate, idleMs: IDLE_MS },
    contract: null,
    submission: { gate, serviceClock: { state: () => time.state }, windowMs: WINDOW_MS, doppelgangers: { findings } },
    ...change,
  }
  registerReadiness(parts)
  const check = async (name: string) => {
    clock.tick(1000)
    return (await health.readiness()).checks.find((one) => one.name === name)
  }
  return { activity, check, clock, disk, gate, health, host, findings, queue, time }
}

const stake = (stakedWei: bigint, minStakeWei = 10n ** 18n) => ({ stakedWei, minStakeWei })

describe('readiness', () => {
  it('has a check for each part that exists, and none for a role that this daemon does not have', async () => {
    const names = async (change: Partial<ReadinessParts>) =>
      (await newReadiness(change).health.readiness()).checks.map(({ name }) => name)
    expect(await names({})).toEqual([
      'queue',
      'disk',
      'running',
      'inference',
      'media',
      'stream',
      'stake',
      'clock',
      'alone',
    ])
    expect(await names({ detectors: null, media: null, stream: null, submission: null })).toEqual([
      'queue',
      'disk',
      'running',
    ])
    expect(await names({ detectors: null, media: null })).toEqual([
      'queue',
      'disk',
      'running',
      'stream',
      'stake',
      'clock',
      'alone',
    ])
  })

  it('ends when the daemon stops', async () => {
    expect(await newReadiness({ draining: () => true }).check('running')).toMatchObject({
      ok: false,
      reason: 'draining',
    })
  })
})

it('the queue is fine, paused by name, or away', async () => {
  const { check, queue } = newReadiness()
  expect(await check('queue')).toMatchObject({ ok: true })
  queue.isPaused = async () => true
  expect(await check('queue')).toMatchObject({
    ok: false,
    reason: 'queue-paused',
    message: 'Paused: analyze, submit.',
  })
  queue.ping = () => Promise.reject(new AttestdError('queue-unreachable', 'gone'))
  expect(await check('queue')).toMatchObject({ ok: false, reason: 'queue-unreachable' })
})

describe('the disk of the data directory', () => {
  it('warns below the setting, and is not ready when nothing fits any more', async () => {
    const { check, disk } = newReadiness()
    expect(await check('disk')).toEqual({
      name: 'disk',
      ok: true,
      fix: undefined,
      message: '900 MiB are free on the disk of the data directory.',
    })
    disk.free = 255 * MIB
    expect(await check('disk')).toMatchObject({ ok: true, reason: 'disk-low', fix: expect.stringContaining('df') })
    disk.free = 31 * MIB
    expect(await check('disk')).toMatchObject({ ok: false, reason: 'disk-full' })
  })

  it('is not ready while it refuses writes, whatever room is left', async () => {
    const { check, disk } = newReadiness()
    disk.refusal = { reason: 'data-dir-unusable', message: 'refused' }
    expect(await check('disk')).toMatchObject({ ok: false, reason: 'data-dir-unusable', message: 'refused' })
    disk.refusal = null
    expect(await check('disk')).toMatchObject({ ok: true })
  })
})

describe('inference', () => {
  it.each([
    [60_000, 0, true],
    [60_001, 0, false],
    [150_000, 1, true],
    [150_001, 1, false],
  ])(
    '%i ms ago, with %i files in work that may take 90 s, is recent enough: %s',
    async (lastInferenceAgoMs, busy, ok) => {
      const { check, host } = newReadiness()
      Object.assign(host, { lastInferenceAgoMs, busy })
      const found = await check('inference')
      expect([found?.ok, found?.reason]).toEqual([ok, ok ? undefined : 'detector-unavailable'])
      expect(found?.detail).toEqual({ processesReady: 1, processesBusy: busy })
    },
  )

  it('by a model server that is unreachable is named, however recent the last one is', async () => {
    const { check, host } = newReadiness()
    host.unreachable = ['far', 'near']
    expect(await check('inference')).toMatchObject({
      ok: false,
      reason: 'detector-unreachable',
      message: expect.stringContaining('far, near'),
    })
  })
})

describe('the stream', () => {
  const news = { kind: 'alive' } as unknown as ServiceEvent
  const lost = { kind: 'trouble', reason: 'service-unreachable', message: '', retryInMs: 1 } as ServiceEvent

  it('reports why it never connected; a rejected key comes before any other reason', async () => {
    const { activity, check, gate } = newReadiness()
    expect(await check('stream')).toMatchObject({ ok: false, reason: 'stream-ended' })
    activity.streamEvent(news)
    activity.streamEvent(lost)
    expect(await check('stream')).toMatchObject({ ok: false, reason: 'service-unreachable' })
    gate.refuse('service-forbidden')
    expect(await check('stream')).toMatchObject({ reason: 'service-forbidden' })
    gate.updateStake(stake(0n))
    expect(await check('stream')).toMatchObject({ reason: 'stake-low' })
  })

  it('is silent when no message arrives within its time limit', async () => {
    const { activity, check, clock } = newReadiness()
    activity.streamEvent(news)
    clock.tick(IDLE_MS - 1000)
    expect(await check('stream')).toMatchObject({ ok: true, message: 'The stream last sent data 90 s ago.' })
    expect(await check('stream')).toMatchObject({ ok: false, reason: 'stream-silent' })
  })
})

describe('the stake', () => {
  it('that was not read is unknown, with the reason where a contract is read', async () => {
    expect(await newReadiness().check('stake')).toMatchObject({
      ok: false,
      reason: 'stake-unknown',
      message: 'The stake has not been read yet.',
    })
    const trouble = new AttestdError('rpc-unreachable', 'no endpoint')
    const contract = { trouble, readAgeMs: null } as unknown as NonNullable<ReadinessParts['contract']>
    expect((await newReadiness({ contract }).check('stake'))?.message).toBe(
      'The stake has not been read yet (no endpoint).',
    )
  })

  it.each([
    [2n * 10n ** 18n, true, 'Staked 2 ether of at least 1.'],
    [10n ** 18n, true, 'Staked 1 ether of at least 1.'],
    [10n ** 18n - 1n, false, 'Staked'],
  ])('of %i wei is enough: %s', async (wei, ok, message) => {
    const { check, gate } = newReadiness()
    gate.updateStake(stake(wei))
    const found = await check('stake')
    expect([found?.ok, found?.reason]).toEqual([ok, ok ? undefined : 'stake-low'])
    expect(found?.message).toContain(message)
  })

  it('reports the age of the contract reading, and warns while no endpoint answers', async () => {
    const read = { trouble: null as AttestdError | null, readAgeMs: 12_000 }
    const { check, gate } = newReadiness({ contract: read as unknown as ReadinessParts['contract'] })
    gate.updateStake(stake(2n * 10n ** 18n))
    const staked = 'Staked 2 ether of at least 1. The stake contract was last read'
    const fine = await check('stake')
    expect([fine?.ok, fine?.reason, fine?.message]).toEqual([true, undefined, `${staked} 12 s ago.`])
    Object.assign(read, { trouble: new AttestdError('rpc-unreachable', 'No endpoint answered.'), readAgeMs: 600_000 })
    expect(await check('stake')).toMatchObject({
      ok: true,
      reason: 'rpc-unreachable',
      message: `${staked} 10 min 0 s ago: No endpoint answered.`,
      fix: expect.stringContaining('ATTESTD_RPC_URLS'),
    })
  })

  it('is not ready while the service rejects the credentials, until it answers this key again', async () => {
    const { check, gate } = newReadiness()
    gate.updateStake(stake(2n * 10n ** 18n))
    gate.refuseKey()
    expect(await check('stake')).toMatchObject({ ok: false, reason: 'service-unauthorized' })
    gate.updateStake(stake(2n * 10n ** 18n), 'contract')
    expect(await check('stake')).toMatchObject({ ok: false, reason: 'service-unauthorized' })
    gate.updateStake(stake(2n * 10n ** 18n))
    expect(await check('stake')).toMatchObject({ ok: true })
  })

  it('names its cause: a missing role, a refusal, or an unsure reading', async () => {
    const { check, gate } = newReadiness()
    gate.updateStake(stake(2n * 10n ** 18n))
    gate.doubtStake()
    expect(await check('stake')).toMatchObject({
      reason: 'stake-unknown',
      message: 'The service refused a score, and the stake contract has not been read since.',
    })
    gate.refuse('service-forbidden')
    expect(await check('stake')).toMatchObject({
      reason: 'service-forbidden',
      message: expect.stringMatching(/^The service refuses/),
    })
    gate.refuse('stake-low')
    expect(await check('stake')).toMatchObject({
      reason: 'stake-low',
      message: expect.stringContaining('does not state how much'),
    })
    gate.updateRole(false)
    expect(await check('stake')).toMatchObject({ reason: 'role-missing', message: expect.stringContaining('attester') })
    gate.updateRole(true)
    gate.updateStake(stake(2n * 10n ** 18n))
    expect(await check('stake')).toMatchObject({ ok: true })
  })
})

it.each([
  ['a website in place of the service', new AttestdError('service-reply-invalid', '<html>'), /ATTESTD_SERVICE_URL/],
  [
    'an untrusted certificate',
    new AttestdError('service-unreachable', 'expired', { fix: 'Renew the certificate.' }),
    /^Renew the certificate\.$/,
  ],
])('%s is the reason of clock and stake, with its fix, not that they are unknown', async (_, failure, fix) => {
  const { check, time } = newReadiness()
  time.state = { offsetMs: null, errorBoundMs: null, trusted: false, failure }
  const expected = { ok: false, reason: failure.reason, fix: expect.stringMatching(fix) }
  for (const name of ['clock', 'stake']) expect(await check(name)).toMatchObject(expected)
})

it.each<[string, ClockState, string | undefined]>([
  ['that was never compared', { offsetMs: null, errorBoundMs: null, trusted: false }, 'clock-untrusted'],
  ['that agrees', { offsetMs: 0, errorBoundMs: 20, trusted: true }, undefined],
  ['that is off by the window', { offsetMs: WINDOW_MS + 20, errorBoundMs: 20, trusted: true }, undefined],
  ['that is off by more', { offsetMs: -WINDOW_MS - 21, errorBoundMs: 20, trusted: true }, 'clock-off'],
  ['that is known too coarsely', { offsetMs: 0, errorBoundMs: 50_000, trusted: false }, 'clock-untrusted'],
  [
    'that the Date of the service contradicts',
    { offsetMs: 0, errorBoundMs: 20, trusted: false, objection: 'a says b' },
    'clock-untrusted',
  ],
])('the clock %s', async (_, state, reason) => {
  const { check, time } = newReadiness()
  time.state = state
  const found = await check('clock')
  expect([found?.ok, found?.reason]).toEqual([reason === undefined, reason])
  if (state.objection) expect(found?.message).toContain('a says b')
})

it('media that does not arrive is a warning after three failures in a row, and fine once some arrives', async () => {
  const { activity, check, clock } = newReadiness()
  for (const _ of [1, 2]) activity.media.failed('media-unreachable')
  expect(await check('media')).toEqual({ name: 'media', ok: true, message: 'Media arrives.' })
  clock.tick(60_000)
  activity.media.failed('media-timeout')
  expect(await check('media')).toMatchObject({
    ok: true,
    reason: 'media-timeout',
    message: expect.stringMatching(/^No media arrived for 1 min \d s: 3 fetches failed in a row/),
  })
  activity.media.arrived()
  expect(await check('media')).toMatchObject({ message: 'Media arrives.' })
})

it('scores that nobody here sent are told, and only close the gate where the settings say so', async () => {
  const { check, gate, findings } = newReadiness()
  expect(await check('alone')).toMatchObject({ ok: true })
  Object.assign(findings, { scores: 2, lastAsset: 'asset-9' })
  // With a reason it is shown as a warning, not as fine.
  expect(await check('alone')).toMatchObject({
    reason: 'doppelganger',
    ok: true,
    message: expect.stringContaining('2, the last for asset asset-9'),
  })
  gate.close('doppelganger')
  expect(await check('alone')).toMatchObject({ ok: false, reason: 'doppelganger' })
})
