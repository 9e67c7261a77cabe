import { describe, expect, it } from 'vitest'
import { asRisk } from '../../src/core/risk.js'
import {
  analyzeResult,
  parseSubmitJob,
  storeAnalyzeResult,
  storeSubmitJob,
  submitResult,
} from '../../src/pipeline/jobs.js'
import { type LedgerEntry, storeLedgerEntry } from '../../src/pipeline/ledger.js'

const contentHash = `0x${'ab'.repeat(32)}`
/** As release 0.1.0 wrote it, with the risk as a percentage. */
const QUEUED = {
  asset: { id: 'a', title: 't', contentHash, uri: 'ipfs://x', mediaType: 'image', turnaround: 'standard' },
  seenAt: 7,
  verdict: {
    risk: 87.65,
    algorithm: 'd@1',
    notes: 'n',
    detectorDigest: 'dd',
    unsure: false,
    unsureBecause: null,
    rawScore: 1.9,
    platform: 'p',
  },
  sent: { tries: 1, settledAt: 9 },
}

describe('a submit job', () => {
  it('of an earlier release is read as a probability, and written back as it was', () => {
    const job = parseSubmitJob(QUEUED)
    expect(job.verdict.risk).toBe(0.8765)
    expect(storeSubmitJob(job)).toEqual({
      ...QUEUED,
      unscoredAt: null,
      verdict: { ...QUEUED.verdict, expectedShare: 0.5 },
    })
  })

  it('of a release that stored less of its verdict is read as well', () => {
    const { unsureBecause: _, rawScore: __, platform: ___, ...verdict } = QUEUED.verdict
    expect(parseSubmitJob({ ...QUEUED, verdict }).verdict).toMatchObject({
      risk: 0.8765,
      rawScore: null,
      platform: null,
    })
  })

  it.each([100.01, -1, null, '87.65'])('is refused where its risk is %j', (risk) => {
    const job = { ...QUEUED, verdict: { ...QUEUED.verdict, risk } }
    expect(() => parseSubmitJob(job)).toThrow(expect.objectContaining({ reason: 'job-malformed' }))
  })

  it('is refused before it is written where its risk is a percentage', () => {
    const job = parseSubmitJob(QUEUED)
    expect(() => storeSubmitJob({ ...job, verdict: { ...job.verdict, risk: 87.65 as never } })).toThrow()
  })
})

it('results of jobs are read and stored in the same units', () => {
  const accepted = { outcome: 'accepted', scoreId: 's', risk: 87.65, attester: null }
  expect(submitResult.parse(accepted)).toEqual({ ...accepted, risk: 0.8765 })
  const scored = { outcome: 'scored', mediaType: 'image', verdict: QUEUED.verdict, cached: false }
  expect(storeAnalyzeResult(analyzeResult.parse(scored))).toEqual({
    ...scored,
    verdict: { ...QUEUED.verdict, expectedShare: 0.5 },
  })
})

it('a ledger line states percentages', () => {
  const common = { at: 1, assetId: 'a', title: 't', mediaType: 'image', contentHash, uri: 'ipfs://x' } as const
  const shadow: LedgerEntry = {
    ...common,
    kind: 'shadow',
    algorithm: 'd@1',
    detectorDigest: 'dd',
    risk: asRisk(0.125),
    rawScore: -1.9,
    submittedRisk: asRisk(0.8765),
    agrees: false,
    wouldChange: true,
    elapsedMs: 5,
  }
  expect(storeLedgerEntry(shadow)).toEqual({ ...shadow, risk: 12.5, submittedRisk: 87.65 })
})
