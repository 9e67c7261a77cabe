import { expect, it } from 'vitest'
import { freeAbstained, MAX_LOOKS } from '../../src/pipeline/other-detector.js'
import { openAsset } from '../support/pipeline-parts.js'

const SUMMARY = { id: 'd', title: 'd', version: '1.0.0', digest: 'now', mediaTypes: ['image' as const] }
const by = (detectorDigest: string, platform = 'here', mediaType = 'image') => ({
  by: { mediaType, detectorDigest, platform },
})

it.each<[string, object, boolean]>([
  ['by another detector', by('before'), true],
  ['by this one on another platform', by('now', 'there'), true],
  ['by this one', by('now'), false],
  ['by a detector of a kind without one now', by('before', 'here', 'text'), false],
  ['for the media itself, or in a release that did not keep by which', {}, false],
  ['with a score', { outcome: 'scored' }, false],
])('an analysis that ended %s gets another detector or not', async (_what, change, isFreed) => {
  const asset = openAsset()
  const result = { outcome: 'abstained', reason: 'detector-unsure', message: '', ...change }
  const removed: unknown[] = []
  const queue = {
    texts: null,
    async *completed(name: string) {
      if (name === 'analyze-image') yield { id: 'one', data: { asset, seenAt: 1 }, result }
    },
    remove: async (...what: unknown[]) => removed.push(what) > 0,
  }
  const detectors = {
    platform: 'here',
    detectorFor: (mediaType: string) => (mediaType === 'image' ? SUMMARY : null),
  }
  expect(await freeAbstained(queue, detectors)).toEqual(isFreed ? [asset.id] : [])
  expect(removed).toEqual(isFreed ? [['analyze-image', 'one', 'completed']] : [])
})

/** A queue with one analysis, which `abstain` ends, and texts that outlive it. */
function sharedQueue() {
  const asset = openAsset()
  const texts = new Map<string, string>()
  let ended: object | null = null
  return {
    abstain(...look: Parameters<typeof by>) {
      ended = { outcome: 'abstained', reason: 'detector-unsure', message: '', ...by(...look) }
    },
    texts: {
      get: async (key: string) => texts.get(key) ?? null,
      set: async (key: string, text: string) => void texts.set(key, text),
    },
    async *completed() {
      if (ended) yield { id: 'one', data: { asset, seenAt: 1 }, result: ended }
    },
    async remove() {
      const wasThere = ended !== null
      ended = null
      return wasThere
    },
  }
}

const inUse = (digest: string, platform = 'here') => ({ platform, detectorFor: () => ({ ...SUMMARY, digest }) })

it('a file that two daemons on a queue have judged is not given to either again', async () => {
  const queue = sharedQueue()
  queue.abstain('first')
  expect(await freeAbstained(queue, inUse('second'))).toHaveLength(1)
  queue.abstain('second')
  expect(await freeAbstained(queue, inUse('first'))).toEqual([])
  expect(await freeAbstained(queue, inUse('first', 'elsewhere'))).toHaveLength(1)
  queue.abstain('first', 'elsewhere')
  for (const detectors of [inUse('first'), inUse('second'), inUse('first', 'elsewhere')])
    expect(await freeAbstained(queue, detectors)).toEqual([])
})

it('a daemon that restarts repeatedly causes only a few new attempts', async () => {
  const queue = sharedQueue()
  for (let looks = 1; looks < MAX_LOOKS; looks++) {
    queue.abstain('other')
    expect(await freeAbstained(queue, inUse('now'))).toHaveLength(1)
  }
  queue.abstain('other')
  expect(await freeAbstained(queue, inUse('now'))).toEqual([])
})

it('earlier judgments stored in another shape are ignored', async () => {
  const queue = { ...sharedQueue(), texts: { get: async () => '{"not":"a list"}', set: async () => {} } }
  queue.abstain('other')
  expect(await freeAbstained(queue, inUse('now'))).toHaveLength(1)
})
