import { asRisk } from '../../src/core/risk.js'
import type { Detection } from '../../src/detect/detection.js'
import { type StoredSubmitJob, storeSubmitJob } from '../../src/pipeline/jobs.js'
import type { LedgerEntry } from '../../src/pipeline/ledger.js'
import type { JobRun } from '../../src/queue/queues.js'
import type { Asset } from '../../src/service/port.js'

export function openAsset(change: Partial<Asset> = {}): Asset {
  return {
    id: 'asset-1',
    title: 'A photo',
    mediaContext: '',
    contentHash: `0x${'ab'.repeat(32)}`,
    uri: 'ipfs://bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy',
    mediaType: 'image',
    turnaround: 'standard',
    scoreCount: 0,
    ...change,
  }
}

/** The data of a submit job as it lies in the queue. */
export function submitJobData(change: Partial<StoredSubmitJob> = {}): StoredSubmitJob {
  const { id, title, contentHash, uri, mediaType, turnaround } = openAsset()
  const job = storeSubmitJob({
    asset: { id, title, contentHash, uri, mediaType, turnaround },
    seenAt: 0,
    unscoredAt: null,
    verdict: {
      risk: asRisk(0.875),
      algorithm: 'd@1.0.0',
      notes: 'seen',
      detectorDigest: 'd'.repeat(64),
      unsure: false,
      unsureBecause: null,
      rawScore: 1.9459,
      platform: 'test',
      expectedShare: 0.5,
    },
    sent: null,
  })
  return { ...job, ...change }
}

/** A run of a job outside any engine, which keeps what was saved. */
export function jobRun(data: unknown, signal = new AbortController().signal): JobRun<unknown> & { saved: unknown[] } {
  const saved: unknown[] = []
  return {
    id: 'asset-x',
    data,
    attempt: 1,
    signal,
    saved,
    stepAside: () => () => {},
    save: async (next) => {
      saved.push(structuredClone(next))
    },
  }
}

/** A detection that a store can keep. */
export function storableDetection(change: Partial<Detection> = {}): Detection {
  return {
    detectorId: 'd',
    detectorVersion: '1.0.0',
    detectorDigest: 'd1',
    risk: asRisk(0.25),
    rawScore: -1.1,
    unsure: false,
    unsureBecause: null,
    parts: [],
    variants: [],
    evidence: [],
    notes: 'n',
    elapsedMs: { decode: 1, infer: 2 },
    platform: 'test',
    expectedShare: 0.5,
    ...change,
  }
}

/** A line of the ledger of an asset that was not scored. */
export function abstainedEntry(change: { readonly at?: number; readonly assetId?: string } = {}): LedgerEntry {
  return {
    kind: 'abstained',
    at: Date.UTC(2026, 0, 1),
    assetId: 'a',
    title: 't',
    mediaType: 'image',
    contentHash: '0x00',
    uri: 'ipfs://x',
    reason: 'media-corrupt',
    message: 'm',
    ...change,
  }
}
