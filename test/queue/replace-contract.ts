import { expect, it } from 'vitest'
import type { QueueEngine } from '../../src/queue/queues.js'
import { deferred, sharedWorkers } from './queue-support.js'

/** What every engine must do where several processes change a job that waits. */
export function replaceContract(open: () => QueueEngine): void {
  const { work } = sharedWorkers(open)

  it('replaces a waiting job that is still as it was read, once, and lets a worker take it at once', async () => {
    const engine = open()
    await engine.add('submit', 'swapped', { step: 0, share: 0.1, text: 'ü \u2028' }, { priority: 1 })
    const seen: unknown[] = []
    const events = await work('submit', async (run) => {
      seen.push(run.data)
      return seen.length === 1
        ? { kind: 'hold', reason: 'review-waiting', delayMs: 3_600_000 }
        : { kind: 'done', result: null }
    })
    await events.until('held')
    const read = (await engine.find('submit', 'swapped'))!.data
    const change = (n: number) => engine.replace('submit', 'swapped', read, { step: n })
    const ends = await Promise.all([1, 2, 3].map(change))
    expect(ends.filter(Boolean)).toHaveLength(1)
    const [done] = await events.until('completed')
    expect(done?.data).toEqual({ step: ends.indexOf(true) + 1 })
    expect(seen).toHaveLength(2)
    const ended = (await engine.find('submit', 'swapped'))!.data
    expect(await engine.replace('submit', 'swapped', ended, { step: 4 })).toBe(false)
    expect(await engine.replace('submit', 'nowhere', ended, { step: 4 })).toBe(false)
  })

  it('does not replace an active job', async () => {
    const engine = open()
    await engine.add('submit', 'held', { step: 0 }, { priority: 1 })
    const [taken, mayEnd] = [deferred(), deferred()]
    const events = await work('submit', async () => {
      taken.resolve()
      await mayEnd.promise
      return { kind: 'done', result: null }
    })
    await taken.promise
    const read = (await engine.find('submit', 'held'))!.data
    expect(await engine.replace('submit', 'held', read, { step: 1 })).toBe(false)
    mayEnd.resolve()
    const [done] = await events.until('completed')
    expect(done?.data).toEqual({ step: 0 })
  })
}
