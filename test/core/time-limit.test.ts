import { describe, expect, it } from 'vitest'
import { startDeadline, startRepeating, startTimer, unlessAborted, withinLimit } from '../../src/core/time-limit.js'
import { ManualClock, settle } from '../support/manual-clock.js'

const never = new Promise<never>(() => {})
const late = () => {
  throw new Error('late')
}

describe('withinLimit', () => {
  it('returns the outcome of the work, and leaves no timer', async () => {
    const clock = new ManualClock()
    expect(await withinLimit(clock, 100, Promise.resolve(1), late)).toBe(1)
    await expect(withinLimit(clock, 100, Promise.reject(new Error('broken')), late)).rejects.toThrow('broken')
    expect(clock.sleeping).toBe(0)
  })

  it('ends late work with a given error or value', async () => {
    const clock = new ManualClock()
    const failing = withinLimit(clock, 100, never, late)
    const settled = withinLimit(clock, 100, never, () => 'nothing')
    const both = Promise.allSettled([failing, settled])
    await clock.advance(100)
    expect(await both).toEqual([
      { status: 'rejected', reason: new Error('late') },
      { status: 'fulfilled', value: 'nothing' },
    ])
  })
})

describe('startDeadline', () => {
  it('aborts when the time is up, with the given error', async () => {
    const clock = new ManualClock()
    const plain = startDeadline(clock, 100)
    const own = startDeadline(clock, 100, undefined, () => new Error('too late'))
    await clock.advance(99)
    expect([plain.signal.aborted, plain.passed]).toEqual([false, false])
    await clock.advance(1)
    expect(plain.signal.reason).toMatchObject({ name: 'TimeoutError' })
    expect(own.signal.reason).toEqual(new Error('too late'))
    expect(own.passed).toBe(true)
  })

  it('aborts with the caller, before and meanwhile, which is not a timeout', async () => {
    const clock = new ManualClock()
    const gone = startDeadline(clock, 100, AbortSignal.abort(new Error('gone')))
    const caller = new AbortController()
    const running = startDeadline(clock, 100, caller.signal)
    caller.abort(new Error('left'))
    await clock.advance(100)
    expect([gone.signal.reason, running.signal.reason]).toEqual([new Error('gone'), new Error('left')])
    expect([gone.passed, running.passed]).toEqual([false, false])
  })

  it('leaves no timer, and no listener on the signal of the caller', async () => {
    const clock = new ManualClock()
    const caller = new AbortController()
    const deadline = startDeadline(clock, 100, caller.signal)
    deadline.clear()
    await settle()
    expect(clock.sleeping).toBe(0)
    caller.abort()
    expect(deadline.signal.aborted).toBe(false)
  })
})

describe('startTimer', () => {
  it('fires once when the time is up', async () => {
    const clock = new ManualClock()
    let fired = 0
    startTimer(clock, 100, () => fired++)
    await clock.advance(99)
    expect(fired).toBe(0)
    await clock.advance(1)
    await clock.advance(1000)
    expect(fired).toBe(1)
  })

  it('never fires after it was canceled, and leaves no timer', async () => {
    const clock = new ManualClock()
    let fired = 0
    const takeBack = startTimer(clock, 100, () => fired++)
    takeBack()
    expect(clock.sleeping).toBe(0)
    await clock.advance(1000)
    takeBack()
    expect(fired).toBe(0)
  })
})

describe('startRepeating', () => {
  it('first works after one period, then each period, until it is ended', async () => {
    const clock = new ManualClock()
    let worked = 0
    const end = startRepeating(clock, 100, () => worked++)
    await clock.advance(99)
    expect(worked).toBe(0)
    await clock.advance(1)
    expect(worked).toBe(1)
    await clock.advance(400)
    expect(worked).toBe(5)
    end()
    await clock.advance(1000)
    expect(worked).toBe(5)
    expect(clock.sleeping).toBe(0)
  })

  it('can be ended by the work itself', async () => {
    const clock = new ManualClock()
    let worked = 0
    const end = startRepeating(clock, 100, () => {
      worked++
      end()
    })
    await clock.advance(1000)
    expect(worked).toBe(1)
  })
})

it('returns the outcome of the work, with or without a signal', async () => {
  const { signal } = new AbortController()
  expect(await unlessAborted(Promise.resolve(1), undefined)).toBe(1)
  expect(await unlessAborted(Promise.resolve(2), signal)).toBe(2)
  await expect(unlessAborted(Promise.reject(new Error('broken')), signal)).rejects.toThrow('broken')
})

it('rejects with the reason of the signal, at once and later', async () => {
  await expect(unlessAborted(never, AbortSignal.abort(new Error('before')))).rejects.toThrow('before')
  const later = new AbortController()
  const watched = unlessAborted(never, later.signal)
  later.abort(new Error('meanwhile'))
  await expect(watched).rejects.toThrow('meanwhile')
})

it('does not leave a late failure of the work unhandled', async () => {
  let fail = (_error: Error) => {}
  const work = new Promise<never>((_, reject) => {
    fail = reject
  })
  const unhandled: unknown[] = []
  const listen = (error: unknown) => unhandled.push(error)
  process.on('unhandledRejection', listen)
  await expect(unlessAborted(work, AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone')
  fail(new Error('late'))
  await new Promise((resolve) => setImmediate(resolve))
  process.off('unhandledRejection', listen)
  expect(unhandled).toEqual([])
})
