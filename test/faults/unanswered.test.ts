import { expect, it } from 'vitest'
import type { FaultKind } from '../../src/sandbox/faults/faults.js'
import { SERVICE_TIMEOUT_MS } from '../support/daemon-bench.js'
import { onEachOnce, startRun } from '../support/fault-run.js'

/** Submissions that end without an answer, and how many POSTs of an asset are right when its first two fare so. */
const endsOf = (windowMs: number): readonly { fault: FaultKind; ms?: number; posts: number }[] => [
  { fault: 'lost-reply', posts: 1 },
  { fault: 'no-reply', posts: 1 },
  // Stored long after the daemon has given up waiting, at the end of the time that it grants the service.
  { fault: 'late-store', ms: windowMs + SERVICE_TIMEOUT_MS - 800, posts: 1 },
  { fault: 'late-store', ms: windowMs + SERVICE_TIMEOUT_MS - 1200, posts: 1 },
  { fault: 'no-reply-not-stored', posts: 3 },
  { fault: 'reset', posts: 3 },
  { fault: 'truncated', posts: 1 },
  { fault: 'garbage', posts: 1 },
]
const ASSETS_PER_END = 2

onEachOnce('submissions without an answer', (engine, api) => {
  it('are settled by a question, and sent again only where they cannot have been stored', async () => {
    const run = await startRun(engine, { api })
    const { bench } = run
    const posts: Record<string, number> = {}
    const rules = []
    for (const { fault, ms, posts: wanted } of endsOf(bench.windowMs)) {
      for (const { id } of await bench.registerMany(ASSETS_PER_END, 'unanswered')) {
        posts[id] = wanted
        rules.push({ route: 'score' as const, key: id, fault, attempts: [1, 2], ...(ms === undefined ? {} : { ms }) })
      }
    }
    bench.sandbox.world.faults.setPlan({ seed: 'unanswered', rules })
    run.start()
    await bench.expectExactlyOneEach()
    const counted: Record<string, number> = {}
    for (const { assetId } of bench.sandbox.world.scores.attempts()) counted[assetId] = (counted[assetId] ?? 0) + 1
    expect(counted).toEqual(posts)
  })
})
