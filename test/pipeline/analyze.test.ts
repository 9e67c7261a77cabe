import fs from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { AttestdError } from '../../src/core/errors.js'
import { silentLog } from '../../src/core/log.js'
import { asRisk } from '../../src/core/risk.js'
import type { Detection, DetectorHost } from '../../src/detect/detection.js'
import { type AnalyzeOptions, analyze } from '../../src/pipeline/analyze.js'
import { type VerdictKey, VerdictStore, verdictName } from '../../src/pipeline/verdict-store.js'
import { MemoryClaims } from '../../src/queue/claims.js'
import type { JobRun } from '../../src/queue/queues.js'
import { ManualClock } from '../support/manual-clock.js'
import { jobRun, submitJobData } from '../support/pipeline-parts.js'
import { folderForTest } from '../support/temporary-folder.js'

const SUMMARY = { id: 'd', version: '1.0.0', title: 'd', mediaTypes: ['image'] as const, digest: 'd'.repeat(64) }
const PLATFORM = 'test'
const SURE: Detection = {
  detectorId: 'd',
  detectorVersion: '1.0.0',
  detectorDigest: SUMMARY.digest,
  risk: asRisk(0.912),
  rawScore: 2.3,
  unsure: false,
  unsureBecause: null,
  parts: [],
  variants: [{ name: 'JPEG quality 80', risk: asRisk(0.31) }],
  evidence: [],
  notes: 'seen',
  elapsedMs: { decode: 1, infer: 1 },
  platform: PLATFORM,
  expectedShare: 0.5,
}

async function outcomeOf(
  change: Partial<Detection>,
  unsurePolicy: AnalyzeOptions['unsurePolicy'],
  given: {
    mediaType?: null
    bytes?: Uint8Array
    claimed?: (contentHash: string) => string
    /** What happens while the media is fetched. */
    meanwhile?: (verdicts: VerdictStore, contentHash: string) => Promise<void>
    host?: Partial<DetectorHost>
    run?: JobRun<unknown>
  } = {},
) {
  const folder = await folderForTest()
  const file = path.join(folder, 'media')
  await fs.writeFile(file, given.bytes ?? '')
  const data = submitJobData()
  const asset = { ...data.asset, ...(given.mediaType === null ? { mediaType: null } : {}) }
  const { seenAt } = data
  const asked: string[] = []
  const detectors: Pick<DetectorHost, 'detectorFor' | 'detect' | 'platform' | 'expectedShare'> = {
    platform: PLATFORM,
    expectedShare: 0.5,
    detectorFor: (mediaType) => (mediaType === 'text' ? null : SUMMARY),
    detect: async ({ mediaType }) => {
      asked.push(mediaType)
      return { ...SURE, ...change }
    },
    ...given.host,
  }
  const queued: unknown[] = []
  const clock = new ManualClock()
  const claims = new MemoryClaims(clock)
  if (given.claimed) await claims.take(given.claimed(asset.contentHash), 'another', 1000)
  const verdicts = new VerdictStore(folder)
  let held = 0
  const end = await analyze({
    media: {
      fetch: async () => {
        held += 1
        await given.meanwhile?.(verdicts, asset.contentHash)
        return {
          file,
          release: () => {
            held -= 1
          },
        }
      },
    } as unknown as AnalyzeOptions['media'],
    detectors: detectors as DetectorHost,
    verdicts,
    queue: {
      add: async (...added) => {
        queued.push(added)
        return { added: true }
      },
      remove: async () => false,
      result: async () => null,
      claims,
    } as AnalyzeOptions['queue'],
    clock,
    shadows: { offer: ({ media }) => media.release() },
    unsurePolicy,
    log: silentLog,
    events: {} as AnalyzeOptions['events'],
  })(given.run ?? jobRun({ asset, seenAt }))
  return { end, queued, asked, held }
}

it('a sure detection becomes a verdict that is queued', async () => {
  const { end, queued } = await outcomeOf({}, 'abstain')
  expect(end).toMatchObject({ result: { outcome: 'scored', verdict: { risk: 91.2, unsureBecause: null } } })
  expect(queued).toMatchObject([['submit', 'asset-x', { verdict: { risk: 91.2 } }, { priority: 10 }]])
})

it.each([
  ['band', 'The risk of 91.2 by d@1.0.0 lies in the decision band.'],
  ['flip', 'The risk of 91.2 by d@1.0.0 depends on how the file is read: 31.0 as JPEG quality 80.'],
] as const)('an unsure one (%s) is abstained from, and the message states why', async (unsureBecause, message) => {
  const { end, queued } = await outcomeOf({ unsure: true, unsureBecause }, 'abstain')
  expect(end).toMatchObject({ result: { outcome: 'abstained', reason: 'detector-unsure', message } })
  expect(queued).toEqual([])
})

it('an abstention names the detector, so that another one gets the file, except where the media is the reason', async () => {
  const by = { mediaType: 'image', detectorDigest: SUMMARY.digest, platform: PLATFORM }
  const unsure = { unsure: true, unsureBecause: 'band' } as const
  expect((await outcomeOf(unsure, 'abstain')).end).toMatchObject({ result: { by } })
  const detect = async () => {
    throw new AttestdError('media-corrupt')
  }
  const { end } = await outcomeOf({}, 'abstain', { host: { detect } })
  expect(end).toEqual({
    kind: 'done',
    result: { outcome: 'abstained', reason: 'media-corrupt', message: expect.any(String) },
  })
})

describe('a detector that is replaced', () => {
  const unsure = { unsure: true, unsureBecause: 'band' } as const
  const other = { ...SUMMARY, digest: 'e'.repeat(64) }
  // Asked for before the fetch, before the detection, and where it ended without a score.
  const hostOf = (...asked: (typeof SUMMARY)[]) => ({ detectorFor: () => asked.shift() ?? null })

  it('while it judges has no abstention kept', async () => {
    const outcome = outcomeOf(unsure, 'abstain', { host: hostOf(SUMMARY, SUMMARY, other) })
    await expect(outcome).rejects.toMatchObject({ reason: 'detector-unavailable' })
  })

  it('while the media is fetched is not named in the abstention', async () => {
    const { end } = await outcomeOf(unsure, 'abstain', { host: hostOf(SUMMARY, other, other) })
    expect(end).toMatchObject({ result: { reason: 'detector-unsure', by: { detectorDigest: other.digest } } })
  })
})

it('or is submitted as it is where the operator asks for it', async () => {
  const { end, queued } = await outcomeOf({ unsure: true, unsureBecause: 'flip' }, 'submit')
  expect(end).toMatchObject({ result: { outcome: 'scored', verdict: { unsure: true, unsureBecause: 'flip' } } })
  expect(queued).toHaveLength(1)
})

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')

it('an undeclared kind of media is taken from the bytes, also for the submission', async () => {
  const { end, queued, asked, held } = await outcomeOf({}, 'abstain', { mediaType: null, bytes: PNG })
  expect(asked).toEqual(['image'])
  expect(end).toMatchObject({ result: { outcome: 'scored', mediaType: 'image' } })
  expect(queued).toMatchObject([['submit', 'asset-x', { asset: { mediaType: 'image' } }, {}]])
  expect(held).toBe(0)
})

it('bytes of an unknown kind get no score', async () => {
  const { end, asked, held } = await outcomeOf({}, 'abstain', { mediaType: null, bytes: Buffer.from([0, 1, 2, 3]) })
  expect(end).toMatchObject({ result: { outcome: 'abstained', reason: 'media-unsupported' } })
  expect([asked, held]).toEqual([[], 0])
})

it('bytes of a kind without a detector here move to the queue of that kind, which they then state', async () => {
  const bytes = Buffer.from('Words that no detector is loaded for.')
  const { end, queued, asked, held } = await outcomeOf({}, 'abstain', { mediaType: null, bytes })
  expect(end).toEqual({ kind: 'done', result: { outcome: 'moved', mediaType: 'text' } })
  expect(queued).toMatchObject([['analyze-text', 'asset-x', { asset: { mediaType: 'text' } }, { priority: 10 }]])
  expect([asked, held]).toEqual([[], 0])
})

it('an asset whose detector disappeared, before or during the fetch, waits without an attempt', async () => {
  const none = { detectorFor: () => null }
  const detect = async () => Promise.reject(new AttestdError('detector-none'))
  for (const host of [none, { detect }]) {
    const { end, held, queued } = await outcomeOf({}, 'abstain', { host })
    expect(end).toEqual({ kind: 'hold', reason: 'detector-none', delayMs: 5000 })
    expect([held, queued]).toEqual([0, []])
  }
})

const keyOf = (contentHash: string): VerdictKey => ({
  contentHash,
  detectorDigest: SUMMARY.digest,
  mediaType: 'image',
  platform: PLATFORM,
  expectedShare: 0.5,
})

it('uses the verdict that another asset with the same content got during the fetch', async () => {
  const meanwhile = (verdicts: VerdictStore, contentHash: string) => verdicts.put(keyOf(contentHash), SURE)
  const { end, asked, held } = await outcomeOf({}, 'abstain', { meanwhile })
  expect(end).toMatchObject({ result: { outcome: 'scored', cached: true } })
  expect({ asked, held }).toEqual({ asked: [], held: 0 })
})

it('waits while another asset with the same content is being analyzed, without an attempt', async () => {
  const claimed = (contentHash: string) => verdictName(keyOf(contentHash))
  const { end, asked, held, queued } = await outcomeOf({}, 'abstain', { claimed })
  expect(end).toEqual({ kind: 'hold', reason: 'analysis-elsewhere', delayMs: 1000 })
  expect({ asked, held, queued }).toEqual({ asked: [], held: 0, queued: [] })
})

describe('a file on which the detector fails', () => {
  const detect = async () => {
    throw new AttestdError('detector-crashed')
  }
  const data = () => ({ asset: submitJobData().asset, seenAt: 0, unscoredAt: null })

  it('is marked with the detector, so that another one gets it', async () => {
    const run = jobRun(data())
    await expect(outcomeOf({}, 'abstain', { run, host: { detect } })).rejects.toMatchObject({
      reason: 'detector-crashed',
    })
    const failedBy = { mediaType: 'image', detectorDigest: SUMMARY.digest, platform: PLATFORM }
    expect(run.saved).toEqual([{ ...data(), failedBy, failedBefore: [] }])
  })

  it('keeps earlier marks', async () => {
    const [before, earlier] = ['b', 'c'].map((digit) => ({
      mediaType: 'image' as const,
      detectorDigest: digit.repeat(64),
      platform: PLATFORM,
    }))
    const run = jobRun({ ...data(), failedBy: before, failedBefore: [earlier] })
    await expect(outcomeOf({}, 'abstain', { run, host: { detect } })).rejects.toThrow()
    expect(run.saved).toMatchObject([{ failedBy: { detectorDigest: SUMMARY.digest }, failedBefore: [before, earlier] }])
  })

  it('is retried where the detector was replaced meanwhile', async () => {
    const run = jobRun(data())
    const next = [SUMMARY, SUMMARY, { ...SUMMARY, digest: 'e'.repeat(64) }]
    const host = { detect, detectorFor: () => next.shift() ?? null }
    await expect(outcomeOf({}, 'abstain', { run, host })).rejects.toMatchObject({ reason: 'detector-unavailable' })
    expect(run.saved).toEqual([])
  })

  it('is retried where the process was killed from outside, and counts as its cause from the third time', async () => {
    const host = {
      detect: async () => {
        throw new AttestdError('detector-killed')
      },
    }
    const first = jobRun(data())
    await expect(outcomeOf({}, 'abstain', { run: first, host })).rejects.toMatchObject({ reason: 'detector-killed' })
    expect(first.saved).toEqual([{ ...data(), kills: { detectorDigest: SUMMARY.digest, count: 1 } }])
    const third = jobRun({ ...data(), kills: { detectorDigest: SUMMARY.digest, count: 2 } })
    await expect(outcomeOf({}, 'abstain', { run: third, host })).rejects.toMatchObject({ reason: 'detector-crashed' })
    expect(third.saved).toMatchObject([{ failedBy: { detectorDigest: SUMMARY.digest } }])
    // Those of another detector do not count for it.
    const afterAnother = jobRun({ ...data(), kills: { detectorDigest: 'e'.repeat(64), count: 2 } })
    await expect(outcomeOf({}, 'abstain', { run: afterAnother, host })).rejects.toMatchObject({
      reason: 'detector-killed',
    })
  })
})
