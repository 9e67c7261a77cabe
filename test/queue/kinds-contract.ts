import { expect, it } from 'vitest'
import type { Processor, QueueEngine } from '../../src/queue/queues.js'
import { deferred, heldProcessor, sharedWorkers } from './queue-support.js'

/** What every engine must do with a queue for each kind of media, of which a process works on several. */
export function kindsContract(open: () => QueueEngine): void {
  const { work, workers } = sharedWorkers(open)

  it('workers of all kinds of media together run no more jobs than there is room for, and finish all of them', async () => {
    const engine = open()
    const kinds = ['analyze-image', 'analyze-text', 'analyze-audio'] as const
    const each = 12
    for (const kind of kinds) for (let n = 0; n < each; n++) await engine.add(kind, `shared-${n}`, {}, { priority: 10 })
    const running: string[] = []
    let most = 0
    // The first ones wait for each other, however slowly an engine hands them out.
    const full = deferred()
    const logs = await Promise.all(
      kinds.map((kind) =>
        work(kind, async ({ id }) => {
          running.push(id)
          most = Math.max(most, running.length)
          if (running.length === 4) full.resolve()
          await full.promise
          await new Promise((resolve) => setTimeout(resolve, 5))
          running.pop()
          return { kind: 'done', result: null }
        }),
      ),
    )
    for (const events of logs) await events.until('completed', () => true, each)
    expect(most).toBe(4)
    expect(await Promise.all(kinds.map(async (kind) => (await engine.counts(kind)).active))).toEqual([0, 0, 0])
  })

  it('an urgent job goes before waiting jobs of other kinds, as soon as there is room', async () => {
    const engine = open()
    const release = deferred()
    const order: string[] = []
    const process: Processor<unknown, unknown> = async ({ id }) => {
      order.push(id)
      await release.promise
      return { kind: 'done', result: null }
    }
    for (let n = 0; n < 8; n++) await engine.add('analyze-image', `many-${n}`, {}, { priority: 10 })
    const images = await work('analyze-image', process)
    while (order.length < 4) await new Promise((resolve) => setTimeout(resolve, 10))
    await engine.add('analyze-audio', 'calm', {}, { priority: 10 })
    await engine.add('analyze-text', 'urgent', {}, { priority: 1 })
    const others = [await work('analyze-audio', process), await work('analyze-text', process)]
    // Room for these to have asked for it, on a slow machine too.
    await new Promise((resolve) => setTimeout(resolve, 300))
    for (let round = 0; round < 100; round++) await engine.ping()
    release.resolve()
    await images.until('completed', () => true, 8)
    for (const events of others) await events.until('completed')
    expect(order.slice(4, 8)).toContain('urgent')
    expect(order).toHaveLength(10)
  })

  it('a worker that is paused while it waits for room takes nothing, and continues when it is resumed', async () => {
    const engine = open()
    const { release, run } = heldProcessor()
    for (let n = 0; n < 4; n++) await engine.add('analyze-image', `fills-${n}`, {}, { priority: 10 })
    const full = await work('analyze-image', run)
    while ((await engine.counts('analyze-image')).active < 4) await new Promise((resolve) => setTimeout(resolve, 10))
    await engine.add('analyze-text', 'waits', {}, { priority: 10 })
    const events = await work('analyze-text', async () => ({ kind: 'done', result: null }))
    const worker = workers.at(-1)!
    worker.pause()
    release()
    await full.until('completed', () => true, 4)
    expect(events.all).toEqual([])
    expect(await engine.counts('analyze-text')).toMatchObject({ waiting: 1, active: 0 })
    worker.resume()
    await events.until('completed')
  })
}
