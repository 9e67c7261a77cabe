import { describe, expect, it } from 'vitest'
import { AttestdError } from '../../src/core/errors.js'
import { silentLog } from '../../src/core/log.js'
import type { Reason } from '../../src/core/reasons.js'
import { asRisk, type RiskPercent } from '../../src/core/risk.js'
import { Doppelgangers } from '../../src/pipeline/doppelgangers.js'
import { Gate } from '../../src/pipeline/gate.js'
import type { StoredSubmitJob } from '../../src/pipeline/jobs.js'
import { submit } from '../../src/pipeline/submit.js'
import type { Asset, AttesterService, Receipt, Score } from '../../src/service/port.js'
import { ManualClock } from '../support/manual-clock.js'
import { jobRun, openAsset, submitJobData } from '../support/pipeline-parts.js'

const NOW = Date.UTC(2026, 0, 1)
const WINDOW = 30_000
const STORE = 15_000
const ERROR = 40
const receipt: Receipt = { scoreId: 's1', risk: asRisk(0.875), attester: '0x1' }

type Step = Asset | null | Error

/** A service that answers from a script and notes what it was asked, in order. */
function scripted(finds: Step[], submits: (Receipt | Error)[]) {
  const calls: string[] = []
  const signedAt: number[] = []
  const risks: number[] = []
  const scores: Score[] = []
  const next = <T>(steps: (T | Error)[]): T => {
    const step = steps.shift()
    if (step === undefined) throw new Error('the script has ended')
    if (step instanceof Error) throw step
    return step
  }
  const service: Pick<AttesterService, 'find' | 'submit'> = {
    find: async () => {
      calls.push('ask')
      return next(finds)
    },
    submit: async (score, at, _, lastLook) => {
      lastLook?.()
      const { risk } = score
      scores.push(score)
      calls.push('send')
      risks.push(risk)
      signedAt.push(at)
      return next(submits)
    },
  }
  return { service: service as AttesterService, calls, signedAt, risks, scores }
}

function setUp(
  job: StoredSubmitJob,
  finds: Step[],
  submits: (Receipt | Error)[],
  { stake = 10n, confirm = null as boolean | null, signal = new AbortController().signal } = {},
) {
  const clock = new ManualClock(NOW)
  const serviceClock = { now: () => clock.now(), state: () => ({ offsetMs: 0, errorBoundMs: ERROR, trusted: true }) }
  const gate = new Gate({ clock, random: () => 1, serviceClock })
  gate.updateStake({ stakedWei: stake, minStakeWei: 10n })
  const script = scripted(finds, submits)
  const doppelgangers = new Doppelgangers({
    clock,
    serviceClock,
    settleMs: WINDOW + STORE,
    policy: 'warn',
    texts: null,
    gate,
    log: silentLog,
    onFound: () => {},
  })
  const run = jobRun(job, signal)
  const options = {
    service: script.service,
    gate,
    serviceClock,
    timestampWindowMs: WINDOW,
    storeTimeMs: STORE,
    confirmStake: async () => confirm,
    doppelgangers,
    log: silentLog,
  }
  return { ...script, run, gate, clock, doppelgangers, end: () => submit(options)(run) }
}

const free = openAsset({ myScore: null })
const sentBefore = (settledAt: number) => submitJobData({ sent: { tries: 1, settledAt } })

describe('a submission', () => {
  it('asks, records the attempt, then sends a probability for the percentage of the job with the recorded time', async () => {
    const { calls, end, risks, run, signedAt } = setUp(submitJobData(), [free], [receipt])
    expect(await end()).toMatchObject({ kind: 'done', result: { outcome: 'accepted', scoreId: 's1', risk: 87.5 } })
    expect(calls).toEqual(['ask', 'send'])
    expect(signedAt).toEqual([NOW])
    expect(risks).toEqual([0.875])
    expect(run.saved).toMatchObject([{ sent: { tries: 1, settledAt: NOW + WINDOW + STORE }, verdict: { risk: 87.5 } }])
  })

  it('is not sent when the service already has this score, also as whole percents', async () => {
    for (const value of [0.875, 0.88]) {
      const { calls, end } = setUp(submitJobData(), [openAsset({ myScore: asRisk(value) })], [])
      expect(await end()).toMatchObject({ kind: 'done', result: { outcome: 'confirmed', risk: value * 100 } })
      expect(calls).toEqual(['ask'])
    }
  })

  it.each([
    ['the label that the service shows', 'theirs@2.0.0', 'theirs@2.0.0'],
    ['no label where the service shows none', undefined, null],
  ])(
    'is not sent over another score of this attester, which is recorded as foreign with %s',
    async (_, myAlgorithm, algorithm) => {
      const { calls, end } = setUp(submitJobData(), [openAsset({ myScore: asRisk(0.12), myAlgorithm })], [])
      expect(await end()).toEqual({ kind: 'done', result: { outcome: 'foreign', risk: 12, algorithm } })
      expect(calls).toEqual(['ask'])
    },
  )

  it('is not sent for an asset that closed', async () => {
    const { calls, end } = setUp(submitJobData(), [null], [])
    expect(await end()).toMatchObject({ result: { outcome: 'closed', maybeStored: false } })
    expect(calls).toEqual(['ask'])
  })

  it('is not sent for an asset whose bytes changed, which is analyzed again', async () => {
    const { calls, end } = setUp(submitJobData(), [{ ...free, contentHash: `0x${'cd'.repeat(32)}` }], [])
    expect(await end()).toMatchObject({ result: { outcome: 'closed', maybeStored: false } })
    expect(calls).toEqual(['ask'])
  })

  it('only asks while an earlier one may still arrive', async () => {
    const { calls, end, run } = setUp(sentBefore(NOW + 7000), [free], [])
    expect(await end()).toEqual({ kind: 'hold', reason: 'score-unconfirmed', delayMs: 7000 + ERROR })
    expect(calls).toEqual(['ask'])
    expect(run.saved).toEqual([])
  })

  it('is repeated once the earlier one can no longer be accepted', async () => {
    const { calls, end, run } = setUp(sentBefore(NOW - ERROR), [free], [receipt])
    expect(await end()).toMatchObject({ result: { outcome: 'accepted' } })
    expect(calls).toEqual(['ask', 'send'])
    expect(run.saved).toMatchObject([{ sent: { tries: 2 } }])
  })

  it('that was stored despite a lost answer is found by asking, before the wait is over', async () => {
    const { calls, end } = setUp(sentBefore(NOW + 7000), [openAsset({ myScore: asRisk(0.875) })], [])
    expect(await end()).toMatchObject({ result: { outcome: 'confirmed', risk: 87.5 } })
    expect(calls).toEqual(['ask'])
  })

  it('of an asset that closed meanwhile reports that it may have been stored', async () => {
    const { end } = setUp(sentBefore(NOW - ERROR), [null], [])
    expect(await end()).toMatchObject({ result: { outcome: 'closed', maybeStored: true } })
  })

  it('is not forgotten while it may still be stored, although the asset seems closed', async () => {
    const { end } = setUp(sentBefore(NOW + 7000), [null], [])
    expect(await end()).toMatchObject({ kind: 'hold', reason: 'score-unconfirmed' })
  })
})

describe('a recorded score', () => {
  const scored = openAsset({ myScore: asRisk(0.5) })
  const KNOWN_MS = WINDOW + STORE + ERROR
  const watched = (sent: StoredSubmitJob['sent'] = null) => submitJobData({ unscoredAt: NOW + KNOWN_MS, sent })

  it('that certainly came from elsewhere is foreign, even with our value', async () => {
    const parts = setUp(watched(), [openAsset({ myScore: asRisk(0.875) })], [])
    await parts.clock.advance(KNOWN_MS)
    expect(await parts.end()).toMatchObject({ result: { outcome: 'foreign', risk: 87.5 } })
  })

  async function scoresFound(job: StoredSubmitJob, finds: Step[] = [scored], submits: (Receipt | Error)[] = []) {
    const parts = setUp(job, finds, submits)
    await parts.clock.advance(KNOWN_MS)
    await parts.end().catch(() => {})
    return parts.doppelgangers.findings.scores
  }

  it('came from elsewhere where the service had none and nothing was sent', async () => {
    expect(await scoresFound(watched())).toBe(1)
  })

  it('is ours where an attempt was recorded', async () => {
    expect(await scoresFound(watched({ tries: 1, settledAt: NOW }))).toBe(0)
  })

  it('may be ours where the queue is too new, or the service did not state that it had none', async () => {
    expect(await scoresFound(submitJobData({ unscoredAt: NOW + KNOWN_MS - 1 }))).toBe(0)
    expect(await scoresFound(submitJobData())).toBe(0)
  })

  it('came from elsewhere where a first send conflicts with another value', async () => {
    const conflict = new AttestdError('score-conflict')
    expect(await scoresFound(watched(), [free, scored], [conflict])).toBe(1)
    expect(await scoresFound(watched(), [free, openAsset({ myScore: asRisk(0.875) })], [conflict])).toBe(0)
  })

  it('may be by another worker where the lock of the job was lost', async () => {
    const parts = setUp(watched(), [scored], [])
    await parts.clock.advance(KNOWN_MS)
    parts.run.save = async () => {
      throw new AttestdError('job-lock-lost')
    }
    await expect(parts.end()).rejects.toMatchObject({ reason: 'job-lock-lost' })
    expect(parts.doppelgangers.findings.scores).toBe(0)
  })
})

describe('after a failed send the record of the attempt', () => {
  const recordedSend = { tries: 1, settledAt: NOW + WINDOW + STORE }
  const rows: [string, AttestdError | Error, StoredSubmitJob['sent']][] = [
    ['stays after a timeout', new AttestdError('service-timeout', undefined, { ambiguous: true }), recordedSend],
    ['stays after a reset', new AttestdError('service-connection-lost', undefined, { ambiguous: true }), recordedSend],
    ['stays after an error of unknown kind', new TypeError('?'), recordedSend],
    [
      'stays after a 502, since the service behind the proxy may be working',
      new AttestdError('service-failing', undefined, { ambiguous: true, facts: { status: 502 } }),
      recordedSend,
    ],
    [
      'stays after a 503, which a proxy may have said',
      new AttestdError('service-failing', undefined, { ambiguous: true, facts: { status: 503 } }),
      recordedSend,
    ],
    [
      'stays after a 524, since the service behind the edge is working',
      new AttestdError('service-failing', undefined, { ambiguous: true, facts: { status: 524 } }),
      recordedSend,
    ],
    [
      'is settled at once after a 500',
      new AttestdError('service-failing', undefined, { ambiguous: true, facts: { status: 500 } }),
      { tries: 1, settledAt: 0 },
    ],
    [
      'stays after a 500 without words of the API, which a proxy says too',
      new AttestdError('service-failing', undefined, {
        ambiguous: true,
        facts: { status: 500, withoutErrorBody: true },
      }),
      recordedSend,
    ],
    ['is cleared when no connection was made', new AttestdError('service-unreachable'), null],
    ['is cleared after a 401', new AttestdError('service-unauthorized'), null],
    ['is cleared after a refusal', new AttestdError('service-refused'), null],
  ]
  it.each(rows)('%s', async (_name, failure, sent) => {
    const { end, run } = setUp(submitJobData(), [free], [failure])
    await expect(end()).rejects.toThrow()
    expect((run.saved.at(-1) as StoredSubmitJob).sent).toEqual(sent)
  })

  const unproven: [Reason, string | null][] = [
    ['service-rate-limited', 'service-rate-limited'],
    ['service-forbidden', 'service-forbidden'],
    ['asset-closed', 'score-unconfirmed'],
    ['service-refused', 'score-unconfirmed'],
  ]
  it.each(unproven)('stays after an unproven %s, and the job waits by %s', async (reason, held) => {
    const { end, run } = setUp(submitJobData(), [free], [new AttestdError(reason, undefined, { ambiguous: true })])
    expect(await end()).toMatchObject({ kind: 'hold', reason: held })
    expect(run.saved).toMatchObject([{ sent: recordedSend }])
  })

  it('stays after a second unproven rejection, which ends the job', async () => {
    const refusal = new AttestdError('service-refused', undefined, { ambiguous: true })
    const { end, run } = setUp(sentBefore(NOW - ERROR), [free], [refusal])
    await expect(end()).rejects.toMatchObject({ reason: 'service-refused' })
    expect(run.saved).toMatchObject([{ sent: { tries: 2 } }])
  })

  it('is not touched when the lock was lost, since another worker may hold the job', async () => {
    const lost = new AbortController()
    const { end, run, service } = setUp(submitJobData(), [free], [], { signal: lost.signal })
    service.submit = async () => {
      lost.abort()
      throw new AttestdError('service-unreachable')
    }
    await expect(end()).rejects.toThrow()
    expect(run.saved).toMatchObject([{ sent: recordedSend }])
  })
})

describe('rejections', () => {
  it('a 429 closes the gate for every submission for as long as the service asked', async () => {
    const slowDown = new AttestdError('service-rate-limited', undefined, { retryAfterMs: 9000 })
    const { clock, end, gate } = setUp(submitJobData(), [slowDown], [])
    expect(await end()).toEqual({ kind: 'hold', reason: 'service-rate-limited', delayMs: 9000 })
    expect(gate.check()).toEqual({ open: false, reason: 'service-rate-limited', retryInMs: 9000 })
    await clock.advance(9000)
    expect(gate.check()).toEqual({ open: true })
  })

  it('a 403 pauses the job where the stake is rejected too', async () => {
    const { end } = setUp(submitJobData(), [free], [new AttestdError('service-forbidden')], { confirm: false })
    expect(await end()).toMatchObject({ kind: 'hold', reason: 'service-forbidden' })
  })

  it('a 403 for one asset fails that job, and closes the gate for no other', async () => {
    const refusal = new AttestdError('service-forbidden')
    const { end, gate } = setUp(submitJobData(), [free], [refusal], { confirm: true })
    await expect(end()).rejects.toMatchObject({ reason: 'score-forbidden', kind: 'retry' })
    expect(gate.check()).toEqual({ open: true })
  })

  it('a stop midway closes no gate', async () => {
    const stop = new AbortController()
    const { end, gate, service } = setUp(submitJobData(), [], [], { signal: stop.signal })
    service.find = async () => {
      stop.abort()
      throw new AttestdError('service-rate-limited')
    }
    await expect(end()).rejects.toThrow()
    expect(gate.check()).toEqual({ open: true })
  })

  it('a conflict over the same value is success', async () => {
    const conflict = new AttestdError('score-conflict')
    const { end } = setUp(submitJobData(), [free, openAsset({ myScore: asRisk(0.875) })], [conflict])
    expect(await end()).toMatchObject({ result: { outcome: 'confirmed' } })
  })

  it('a conflict over another value is an error', async () => {
    const conflict = new AttestdError('score-conflict')
    const { end } = setUp(submitJobData(), [free, openAsset({ myScore: asRisk(0.03) })], [conflict])
    await expect(end()).rejects.toMatchObject({ reason: 'score-conflict' })
  })

  it('an asset that closes between question and submission is information', async () => {
    const { end } = setUp(submitJobData(), [free], [new AttestdError('asset-closed')])
    expect(await end()).toMatchObject({ result: { outcome: 'closed', maybeStored: false } })
  })

  it.each<[Reason, (gate: Gate) => void]>([
    ['stake-low', (gate) => gate.updateStake({ stakedWei: 9n, minStakeWei: 10n })],
    ['doppelganger', (gate) => gate.close('doppelganger')],
    ['service-rate-limited', (gate) => gate.slowDown(9000)],
  ])('a gate that closes during the question keeps the score back, with %s', async (reason, close) => {
    const { calls, end, gate, run, service } = setUp(submitJobData(), [free], [])
    const { find } = service
    service.find = (id) => {
      close(gate)
      return find(id)
    }
    expect(await end()).toMatchObject({ kind: 'hold', reason })
    expect(calls).toEqual(['ask'])
    expect(run.saved.at(-1)).toMatchObject({ sent: null })
  })

  it('a low stake pauses the job without a question', async () => {
    const { calls, end } = setUp(submitJobData(), [], [], { stake: 9n })
    expect(await end()).toMatchObject({ kind: 'hold', reason: 'stake-low' })
    expect(calls).toEqual([])
  })

  it('a malformed job is named', async () => {
    const { end } = setUp({ nonsense: true } as unknown as StoredSubmitJob, [], [])
    await expect(end()).rejects.toMatchObject({ reason: 'job-malformed' })
  })
})

describe('an unsure verdict for review', () => {
  const review = { deadline: NOW + 10_000, doubt: 'lies in the decision band', parts: [], evidence: [] }
  const decision = { risk: 12.5 as RiskPercent, by: 'ada', at: NOW, note: 'seen before' }

  it('waits until the deadline, and asks nothing', async () => {
    const { calls, end } = setUp(submitJobData({ review }), [], [])
    expect(await end()).toEqual({ kind: 'hold', reason: 'review-waiting', delayMs: 10_000 })
    expect(calls).toEqual([])
  })

  it('gets no score where nobody decided', async () => {
    const { calls, clock, end } = setUp(submitJobData({ review }), [], [])
    await clock.advance(10_000)
    expect(await end()).toMatchObject({ result: { outcome: 'abstained', reason: 'review-expired' } })
    expect(calls).toEqual([])
  })

  it('is submitted like every score once it is decided, with a label that states so', async () => {
    const { calls, end, risks, scores } = setUp(submitJobData({ review, decision }), [free], [receipt])
    await end()
    expect(calls).toEqual(['ask', 'send'])
    expect(risks).toEqual([0.125])
    expect(scores[0]).toMatchObject({
      algorithm: 'human-review+d@1.0.0',
      notes: 'Decided by a person; d@1.0.0 measured 87.5. seen before',
    })
  })

  it('that was scored elsewhere meanwhile ends as foreign', async () => {
    const scored = openAsset({ myScore: asRisk(0.9), myAlgorithm: 'theirs' })
    const { calls, end } = setUp(submitJobData({ review, decision }), [scored], [])
    expect(await end()).toMatchObject({ result: { outcome: 'foreign', algorithm: 'theirs' } })
    expect(calls).toEqual(['ask'])
  })
})
