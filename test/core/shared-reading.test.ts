import { describe, expect, it } from 'vitest'
import { SharedReading } from '../../src/core/shared-reading.js'
import { ManualClock, settle } from '../support/manual-clock.js'

/** Readings that count up and end when the test lets them. */
function bench(keptMs?: number | ((value: number) => number)) {
  const clock = new ManualClock()
  const shared = new SharedReading<number>(keptMs === undefined ? undefined : { clock, keptMs })
  const started: { resolve(value: number): void; reject(error: Error): void }[] = []
  const read = () => new Promise<number>((resolve, reject) => void started.push({ resolve, reject }))
  return { clock, shared, started, read }
}

describe('a shared reading', () => {
  it('starts one reading for all callers while it runs, and another for later ones', async () => {
    const { read, shared, started } = bench()
    const both = Promise.all([shared.share(read), shared.share(read)])
    expect([shared.isShared, started.length]).toEqual([true, 1])
    started[0]!.resolve(1)
    expect(await both).toEqual([1, 1])
    expect(shared.isShared).toBe(false)
    const next = shared.share(read)
    started[1]!.resolve(2)
    expect(await next).toBe(2)
  })

  it('answers from the last reading until its age limit, counted from its start', async () => {
    const { clock, read, shared, started } = bench(1_000)
    const first = shared.share(read)
    clock.tick(900)
    started[0]!.resolve(1)
    expect(await first).toBe(1)
    clock.tick(99)
    expect(await shared.share(read)).toBe(1)
    clock.tick(1)
    void shared.share(read)
    expect(started).toHaveLength(2)
  })

  it('stays shared while it runs, however old it is', async () => {
    const { clock, read, shared, started } = bench(1_000)
    void shared.share(read)
    clock.tick(5_000)
    void shared.share(read)
    expect(started).toHaveLength(1)
  })

  it('keeps each value for as long as it states', async () => {
    const { clock, read, shared, started } = bench((value) => value)
    void shared.share(read)
    started[0]!.resolve(100)
    await settle()
    clock.tick(100)
    void shared.share(read)
    expect(started).toHaveLength(2)
  })

  it('reports a failure to all callers and keeps it for none', async () => {
    const { read, shared, started } = bench(1_000)
    const both = Promise.allSettled([shared.share(read), shared.share(read)])
    started[0]!.reject(new Error('away'))
    expect((await both).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    const next = shared.share(read)
    started[1]!.resolve(2)
    expect(await next).toBe(2)
  })

  it('drops the caller whose signal aborts, and no other', async () => {
    const { read, shared, started } = bench()
    const stop = new AbortController()
    const leaves = shared.share(read, stop.signal)
    const stays = shared.share(read)
    stop.abort(new Error('left'))
    await expect(leaves).rejects.toThrow('left')
    started[0]!.resolve(1)
    expect(await stays).toBe(1)
  })

  it('reads again after it was told to forget', async () => {
    const { read, shared, started } = bench(1_000)
    void shared.share(read)
    shared.forget()
    void shared.share(read)
    expect(started).toHaveLength(2)
  })
})
