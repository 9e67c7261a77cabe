import { expect, it } from 'vitest'
import { freeAbstained } from '../../src/pipeline/free-abstained.js'
import { openAsset } from '../support/pipeline-parts.js'

const SUMMARY = { id: 'd', title: 'd', version: '1.0.0', digest: 'now', mediaTypes: ['image' as const] }
const by = (detectorDigest: string | null, platform = 'here', mediaType = 'image') => ({
  by: { mediaType, detectorDigest, platform },
})

it.each<[string, object, boolean]>([
  ['by another detector', by('before'), true],
  ['by this one on another platform', by('now', 'there'), true],
  ['for want of a detector that is there now', by(null), true],
  ['by this one', by('now'), false],
  ['for want of a detector, as now', by(null, 'here', 'text'), false],
  ['for the media itself, or in a release that did not keep by which', {}, false],
  ['with a score', { outcome: 'scored' }, false],
])('an analysis that ended %s makes way or not', async (_what, change, isFreed) => {
  const asset = openAsset()
  const result = { outcome: 'abstained', reason: 'detector-unsure', message: '', ...change }
  const removed: unknown[] = []
  const queue = {
    async *completed() {
      yield { id: 'one', data: { asset, seenAt: 1 }, result }
    },
    remove: async (...what: unknown[]) => removed.push(what) > 0,
  }
  const detectors = {
    platform: 'here',
    detectorFor: (mediaType: string) => (mediaType === 'image' ? SUMMARY : null),
  }
  expect(await freeAbstained(queue, detectors)).toEqual(isFreed ? [asset.id] : [])
  expect(removed).toEqual(isFreed ? [['analyze', 'one', 'completed']] : [])
})
