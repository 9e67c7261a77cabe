import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { silentLog } from '../../src/core/log.js'
import type { Detection, DetectorHost } from '../../src/detect/detection.js'
import { type AnalyzeOptions, analyze } from '../../src/pipeline/analyze.js'
import { VerdictStore } from '../../src/pipeline/verdict-store.js'
import { jobRun, submitJobData } from '../support/pipeline-parts.js'

const SUMMARY = { id: 'd', version: '1.0.0', title: 'd', mediaTypes: ['image'] as const, digest: 'd'.repeat(64) }
const SURE: Detection = {
  detectorId: 'd',
  detectorVersion: '1.0.0',
  detectorDigest: SUMMARY.digest,
  risk: 0.912,
  rawScore: 2.3,
  unsure: false,
  unsureBecause: null,
  parts: [],
  variants: [{ name: 'JPEG quality 80', risk: 0.31 }],
  evidence: [],
  notes: 'seen',
  elapsedMs: { decode: 1, infer: 1 },
  platform: 'test',
}

async function outcomeOf(change: Partial<Detection>, unsurePolicy: AnalyzeOptions['unsurePolicy']) {
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'attestd-analyze-'))
  const { asset, seenAt } = submitJobData()
  const detectors: Pick<DetectorHost, 'detectorFor' | 'detect'> = {
    detectorFor: () => SUMMARY,
    detect: async () => ({ ...SURE, ...change }),
  }
  const queued: unknown[] = []
  try {
    const end = await analyze(jobRun({ asset, seenAt }), {
      media: { fetch: async () => ({ file: 'none', release() {} }) } as unknown as AnalyzeOptions['media'],
      detectors: detectors as DetectorHost,
      verdicts: new VerdictStore(folder),
      queue: {
        add: async (...added) => {
          queued.push(added)
          return { added: true }
        },
        remove: async () => false,
        result: async () => null,
      } as AnalyzeOptions['queue'],
      shadows: { offer: ({ media }) => media.release() },
      unsurePolicy,
      log: silentLog,
      events: {} as AnalyzeOptions['events'],
    })
    return { end, queued }
  } finally {
    await fs.rm(folder, { recursive: true })
  }
}

test('a sure detection becomes a verdict that is queued', async () => {
  const { end, queued } = await outcomeOf({}, 'abstain')
  expect(end).toMatchObject({ result: { outcome: 'scored', verdict: { risk: 91.2, unsureBecause: null } } })
  expect(queued).toHaveLength(1)
})

test.each([
  ['band', 'The risk of 91.2 by d@1.0.0 lies in the decision band.'],
  ['flip', 'The risk of 91.2 by d@1.0.0 hangs on the encoding: 31.0 as JPEG quality 80.'],
] as const)('an unsure one (%s) is abstained from, and the message says why', async (unsureBecause, message) => {
  const { end, queued } = await outcomeOf({ unsure: true, unsureBecause }, 'abstain')
  expect(end).toMatchObject({ result: { outcome: 'abstained', reason: 'detector-unsure', message } })
  expect(queued).toEqual([])
})

test('or submitted as it is where the operator says so', async () => {
  const { end, queued } = await outcomeOf({ unsure: true, unsureBecause: 'flip' }, 'submit')
  expect(end).toMatchObject({ result: { outcome: 'scored', verdict: { unsure: true, unsureBecause: 'flip' } } })
  expect(queued).toHaveLength(1)
})
