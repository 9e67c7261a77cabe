import { describe, expect, it } from 'vitest'
import { SingleFlight } from '../../src/media/single-flight.js'
import { settle } from '../support/manual-clock.js'

/** Runs that the test ends, and what was disposed of. */
function setUp() {
  const disposed: string[] = []
  const runs: { signal: AbortSignal; done(value: string): void; fail(error: Error): void }[] = []
  const flights = new SingleFlight<string>((value) => disposed.push(value))
  const start = (signal: AbortSignal) =>
    new Promise<string>((done, fail) => {
      runs.push({ signal, done, fail })
      signal.addEventListener('abort', () => fail(signal.reason))
    })
  const join = (key: string, signal?: AbortSignal, use = async (value: string) => `used ${value}`) =>
    flights.join(key, start, use, signal)
  return { disposed, flights, join, runs }
}

describe('callers of the same key', () => {
  it('share one run and its value, which is disposed of once, after the last', async () => {
    const { disposed, flights, join, runs } = setUp()
    const order: string[] = []
    let release = () => {}
    const slow = new Promise<void>((resolve) => {
      release = resolve
    })
    const first = join('a', undefined, async (value) => {
      await slow
      order.push('slow')
      return value
    })
    const second = join('a')
    expect([runs.length, flights.has('a')]).toEqual([1, true])
    runs[0]?.done('file')
    expect(await second).toBe('used file')
    await settle()
    expect(disposed).toEqual([])
    release()
    expect(await first).toBe('file')
    await settle()
    expect([order, disposed, flights.has('a')]).toEqual([['slow'], ['file'], false])
  })

  it('start separate runs for different keys, and after the last run ended', async () => {
    const { join, runs } = setUp()
    const [a, b] = [join('a'), join('b')]
    for (const [nth, run] of runs.entries()) run.done(`${nth}`)
    expect(await Promise.all([a, b])).toEqual(['used 0', 'used 1'])
    const again = join('a')
    runs[2]?.done('2')
    expect(await again).toBe('used 2')
  })

  it('fail together where the run fails, and the next one tries again', async () => {
    const { disposed, join, runs } = setUp()
    const both = Promise.allSettled([join('a'), join('a')])
    runs[0]?.fail(new Error('gone'))
    expect((await both).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    const next = join('a')
    runs[1]?.done('x')
    expect(await next).toBe('used x')
    await settle()
    expect(disposed).toEqual(['x'])
  })

  it('do not affect others when their use of the value fails', async () => {
    const { disposed, join, runs } = setUp()
    const bad = join('a', undefined, () => Promise.reject(new Error('own trouble')))
    const good = join('a')
    runs[0]?.done('x')
    await expect(bad).rejects.toThrow('own trouble')
    expect(await good).toBe('used x')
    await settle()
    expect(disposed).toEqual(['x'])
  })
})

describe('a caller that leaves', () => {
  it('returns at once and does not affect the others', async () => {
    const { join, runs } = setUp()
    const impatient = new AbortController()
    const leaving = join('a', impatient.signal)
    const staying = join('a')
    impatient.abort(new Error('enough'))
    await expect(leaving).rejects.toThrow('enough')
    expect(runs[0]?.signal.aborted).toBe(false)
    runs[0]?.done('x')
    expect(await staying).toBe('used x')
  })

  it('last ends the run, and the next caller starts another', async () => {
    const { flights, join, runs } = setUp()
    const impatient = new AbortController()
    const leaving = join('a', impatient.signal)
    impatient.abort(new Error('enough'))
    await expect(leaving).rejects.toThrow('enough')
    expect([runs[0]?.signal.aborted, flights.has('a')]).toEqual([true, false])
    const next = join('a')
    expect(runs).toHaveLength(2)
    runs[1]?.done('x')
    expect(await next).toBe('used x')
  })

  it('gets a late value disposed of', async () => {
    const disposed: string[] = []
    const flights = new SingleFlight<string>((value) => disposed.push(value))
    let done: (value: string) => void = () => {}
    const impatient = new AbortController()
    // Work that does not hear of its end.
    const deaf = () =>
      new Promise<string>((resolve) => {
        done = resolve
      })
    const leaving = flights.join('a', deaf, async (value) => value, impatient.signal)
    impatient.abort(new Error('enough'))
    await expect(leaving).rejects.toThrow('enough')
    done('late')
    await settle()
    expect(disposed).toEqual(['late'])
  })

  it('before the start starts nothing', async () => {
    const { join, runs } = setUp()
    await expect(join('a', AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone')
    expect(runs).toEqual([])
  })
})

it('ends all runs, including those without a caller, and waits for them', async () => {
  const flights = new SingleFlight<string>(() => {})
  const ends: string[] = []
  const slowToEnd = (name: string) => (signal: AbortSignal) =>
    new Promise<string>((_, reject) => {
      signal.addEventListener('abort', async () => {
        await settle()
        ends.push(name)
        reject(signal.reason)
      })
    })
  const impatient = new AbortController()
  const left = flights.join('a', slowToEnd('a'), async (value) => value, impatient.signal)
  const waiting = flights.join('b', slowToEnd('b'), async (value) => value)
  impatient.abort(new Error('enough'))
  const outcomes = Promise.allSettled([left, waiting])
  await flights.abortAll(new Error('closing'))
  expect(ends.toSorted()).toEqual(['a', 'b'])
  expect((await outcomes).map((each) => String((each as PromiseRejectedResult).reason))).toEqual([
    'Error: enough',
    'Error: closing',
  ])
})
