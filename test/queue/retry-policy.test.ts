import { describe, expect, it } from 'vitest'
import { AttestdError } from '../../src/core/errors.js'
import { REASONS, type Reason, reasonEntry } from '../../src/core/reasons.js'
import { RunFailed, readFailure, reasonBackoff } from '../../src/queue/job-failure.js'
import { holdDelayMs, judge } from '../../src/queue/retry-policy.js'

const MAX_MS = 60_000
const all = Object.keys(REASONS) as Reason[]
const KIND_OF = { retry: 'retry', wait: 'hold', permanent: 'fail', abstain: 'fail', closed: 'fail', setup: 'hold' }

describe('retry policy', () => {
  it.each(all)('%s ends according to its kind, with whole milliseconds', (reason) => {
    const decision = judge(new AttestdError(reason, 'text'), { attempt: 3, waits: 2 }, MAX_MS, () => 0.37)
    expect(decision).toMatchObject({ kind: KIND_OF[reasonEntry(reason).kind], reason, message: 'text' })
    if (decision.kind !== 'fail') {
      expect(Number.isInteger(decision.delayMs)).toBe(true)
      expect(decision.delayMs).toBeGreaterThan(0)
    }
  })

  it.each([
    [1, 0, 500],
    [1, 1, 1000],
    [2, 0, 1000],
    [3, 1, 4000],
    [40, 1, 60_000],
    [100_000, 1, 60_000],
  ])('attempt %i with random %d pauses %i ms', (attempt, random, delayMs) => {
    const decision = judge(new AttestdError('detector-unavailable'), { attempt, waits: 0 }, MAX_MS, () => random)
    expect(decision).toMatchObject({ kind: 'retry', delayMs })
  })

  it('lengthens waits by the waits before, not by the attempts', () => {
    const limited = new AttestdError('service-rate-limited')
    const pause = (waits: number) => judge(limited, { attempt: 1, waits }, MAX_MS, () => 1)
    expect([0, 1, 2, 9].map((waits) => pause(waits))).toMatchObject(
      [5000, 10_000, 20_000, 60_000].map((delayMs) => ({ kind: 'hold', delayMs })),
    )
  })

  it.each(all)('%s pauses a minute at most, however long it lasts', (reason) => {
    const decision = judge(new AttestdError(reason), { attempt: 500, waits: 500 }, MAX_MS, () => 1)
    if (decision.kind !== 'fail') expect(decision.delayMs).toBe(MAX_MS)
  })

  it.each([
    [20_000, 20_000],
    [10.4, 1000],
    [86_400_000, 600_000],
  ])('accepts a wait of %d ms as %i ms', (retryAfterMs, delayMs) => {
    const busy = new AttestdError('service-failing', 'busy', { retryAfterMs })
    const decision = judge(busy, { attempt: 1, waits: 0 }, MAX_MS, () => 0)
    expect(decision).toMatchObject({ delayMs })
  })

  it.each([
    [0, 50],
    [-5, 50],
    [Number.NaN, 50],
    [99.1, 100],
    [Number.POSITIVE_INFINITY, 604_800_000],
  ])('holds %d ms as %i', (asked, held) => {
    expect(holdDelayMs(asked)).toBe(held)
  })
})

describe('kept failures', () => {
  it.each([
    ['{"reason":"score-conflict","message":"it holds: 40"}', { reason: 'score-conflict', message: 'it holds: 40' }],
    ['{"reason":"no-such-reason","message":"x"}', { reason: 'internal-error' }],
    ['{"reason":"score-con', { reason: 'internal-error', message: '{"reason":"score-con' }],
    ['other text', { reason: 'internal-error', message: 'other text' }],
    // As BullMQ itself writes them.
    ['job stalled more than allowable limit', { reason: 'job-stalled' }],
    ['', { reason: 'internal-error', message: '' }],
    [null, { reason: 'internal-error', message: '' }],
  ])('reads %j back', (text, failure) => {
    expect(readFailure(text)).toMatchObject(failure)
  })

  it('reads back what it writes, without the stack of an error that has a reason', () => {
    const message = `score-conflict: "slow"\u0000${'x'.repeat(5000)}`
    const ours = new RunFailed({ reason: 'media-timeout', message }, 7, new AttestdError('media-timeout'))
    expect(readFailure(ours.message)).toEqual({
      reason: 'media-timeout',
      message: expect.stringMatching(/^score-conflict: "slow"\ufffdx{1000,}…$/),
    })
    expect(ours.stack).toBe('')
    const foreign = new RunFailed({ reason: 'internal-error', message: 'x' }, null, new TypeError('\ud800'))
    expect(foreign).toMatchObject({ name: 'UnrecoverableError', stack: expect.stringMatching(/^TypeError: \ufffd\n/) })
  })

  it('gives BullMQ the delay of the error', () => {
    const later = new RunFailed({ reason: 'media-timeout', message: '' }, 123, null)
    expect(reasonBackoff(1, 'by-reason', later)).toBe(123)
    expect(reasonBackoff(1, 'by-reason', new Error('other'))).toBeGreaterThan(0)
  })
})
