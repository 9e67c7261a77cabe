import { expect, it } from 'vitest'
import { retryForDetectors } from '../../src/pipeline/retry-failed.js'
import type { FailedJob } from '../../src/queue/queues.js'
import { openAsset } from '../support/pipeline-parts.js'

const NOW = Date.UTC(2026, 0, 2)
const HOUR_MS = 3_600_000
const SUMMARY = { id: 'd', title: 'd', version: '1.0.0', digest: 'now', mediaTypes: ['image' as const] }
const by = (detectorDigest: string, platform = 'here', mediaType = 'image') => ({ mediaType, detectorDigest, platform })

const before = (failedBy: object, ...failedBefore: object[]) => ({ failedBy, failedBefore })

it.each<[string, Partial<FailedJob>, object, boolean]>([
  ['by another detector', {}, by('before'), true],
  ['by this one on another platform', {}, by('now', 'there'), true],
  ['by this one', {}, by('now'), false],
  ['by others, the first of which is this one', {}, before(by('other'), by('now')), false],
  ['by others, none of which is this one', {}, before(by('other'), by('third')), true],
  ['as often as others may look', {}, before(by('other'), ...Array.from({ length: 7 }, () => by('other'))), false],
  ['in a release that did not mark by which', {}, {}, true],
  ['on a kind of media without a detector', {}, by('before', 'here', 'text'), false],
  ['a day ago', { failedAt: NOW - 24 * HOUR_MS }, by('before'), false],
  ['for a reason that no detector changes', { reason: 'job-malformed' }, by('before'), false],
])('an analysis that failed %s is repeated or not', async (_what, change, failedBy, again) => {
  const marks = 'failedBefore' in failedBy || Object.keys(failedBy).length === 0 ? failedBy : { failedBy }
  const data = { asset: openAsset(), seenAt: 1, ...marks }
  const job: FailedJob = {
    queue: 'analyze-image',
    id: 'one',
    reason: 'detector-crashed',
    message: '',
    attempts: 1,
    failedAt: NOW - HOUR_MS,
    data,
    ...change,
  }
  const retried: string[] = []
  const queue = {
    failed: async (name: string) => (name === job.queue ? [job] : []),
    retry: async (_name: string, ids: readonly string[] = []) => retried.push(...ids),
  }
  const detectors = {
    platform: 'here',
    detectorFor: (mediaType: string) => (mediaType === 'image' ? SUMMARY : null),
  }
  expect(await retryForDetectors(queue, detectors, NOW)).toBe(again ? 1 : 0)
  expect(retried).toEqual(again ? ['one'] : [])
})
