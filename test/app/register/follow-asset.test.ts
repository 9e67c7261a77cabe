import { expect, it } from 'vitest'
import { type FollowEnd, followAsset } from '../../../src/app/register/follow-asset.js'
import type { Standing } from '../../../src/app/register/submitter-side.js'
import { AttestdError } from '../../../src/core/errors.js'

const open = (scoreCount: number): Standing => ({ state: 'open', scoreCount, aggregate: { scoreCount } })

/** Follows a service that answers these, one after the other and the last for ever; time jumps by every pause. */
async function follow(answers: readonly (Standing | AttestdError)[], { timeoutMs = 60_000, stopAfter = 1000 } = {}) {
  let now = 0
  const looks: number[] = []
  const troubles: string[] = []
  const stop = new AbortController()
  const end = await followAsset({
    assetId: 'a1',
    timeoutMs,
    signal: stop.signal,
    clock: {
      now: () => now,
      monotonic: () => now,
      sleep: async (ms) => {
        now += ms
        if (looks.length >= stopAfter) stop.abort()
      },
    },
    onTrouble: ({ reason }) => troubles.push(reason),
    side: {
      look: async () => {
        looks.push(now)
        const answer = answers[Math.min(looks.length, answers.length) - 1]!
        if (answer instanceof AttestdError) throw answer
        return answer
      },
    },
  })
  return { end, looks, troubles }
}

it.each<[string, readonly Standing[], FollowEnd]>([
  ['a score', [open(0), open(0), open(1)], { outcome: 'scored', scoreCount: 1, aggregate: { scoreCount: 1 } }],
  [
    'a score that came just before the end',
    [open(0), { state: 'closed', scoreCount: 2, aggregate: null }],
    { outcome: 'scored', scoreCount: 2, aggregate: null },
  ],
  ['no score until the end', [open(0), { state: 'closed', scoreCount: 0, aggregate: null }], { outcome: 'closed' }],
  ['no asset any more', [open(0), { state: 'gone' }], { outcome: 'closed' }],
  ['no route', [{ state: 'hidden', message: 'no route' }], { outcome: 'hidden', message: 'no route' }],
])('following ends with %s', async (_, answers, end) => {
  expect(await follow(answers)).toMatchObject({ end, troubles: [] })
})

it('following ends after its time limit, with a last reading', async () => {
  const { end, looks } = await follow([open(0)], { timeoutMs: 30_000 })
  expect(end).toEqual({ outcome: 'not-scored' })
  expect(looks.at(-1)).toBe(30_000)
  // Pauses grow, so that a long wait costs few requests.
  expect(looks.length).toBeLessThan(20)
})

it('following ends when the person stops it', async () => {
  expect(await follow([open(0)], { stopAfter: 3 })).toMatchObject({ end: { outcome: 'stopped' } })
})

it('temporary failures are reported and waited out, as the service asks', async () => {
  const answers = [new AttestdError('service-rate-limited', 'slow', { retryAfterMs: 9_000 }), open(1)]
  const { end, looks, troubles } = await follow(answers)
  expect(end).toMatchObject({ outcome: 'scored' })
  expect(troubles).toEqual(['service-rate-limited'])
  expect(looks).toEqual([0, 9_000])
})

it('a permanent failure ends it with an error', async () => {
  await expect(follow([new AttestdError('service-refused')])).rejects.toMatchObject({ reason: 'service-refused' })
})
