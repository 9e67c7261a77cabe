import { describe, expect, it } from 'vitest'
import { type AttemptContext, HedgedRace, RaceLostError } from '../../../src/media/ipfs/hedged-race.js'
import { ManualClock } from '../../support/manual-clock.js'

const HEDGE_MS = 100

/** A race whose attempts the test ends by hand. */
function startRace(names: string[], signal = new AbortController().signal) {
  const clock = new ManualClock()
  const started: string[] = []
  const slow: string[] = []
  const unused: string[] = []
  const running = new Map<string, AttemptContext & { win(value: string): void; fail(error: Error): void }>()
  const attempt = (name: string, context: AttemptContext) =>
    new Promise<string>((resolve, reject) => {
      started.push(name)
      running.set(name, { ...context, win: resolve, fail: reject })
      context.signal.addEventListener('abort', () => {
        if (name !== 'stubborn') reject(context.signal.reason)
      })
    })
  const result = new HedgedRace<string, string>({
    candidates: names,
    attempt,
    clock,
    hedgeMs: HEDGE_MS,
    signal,
    mayHedge: () => true,
    isFinal: (error) => error instanceof RangeError,
    onSlow: (name) => slow.push(name),
    onUnused: (value) => unused.push(value),
  }).run()
  result.catch(() => {})
  const of = (name: string) => running.get(name)!
  return { clock, started, slow, unused, result, of, turn: () => new Promise(setImmediate) }
}

describe('a hedged race', () => {
  it('asks only the first while it answers in time', async () => {
    const race = startRace(['a', 'b'])
    await race.clock.advance(HEDGE_MS - 1)
    expect(race.started).toEqual(['a'])
    race.of('a').win('bytes')
    expect(await race.result).toBe('bytes')
    expect(race.clock.sleeping).toBe(0)
  })

  it('asks one more after each period of silence', async () => {
    const race = startRace(['a', 'b', 'c'])
    await race.clock.advance(HEDGE_MS)
    expect(race.started).toEqual(['a', 'b'])
    await race.clock.advance(HEDGE_MS - 1)
    expect(race.started).toEqual(['a', 'b'])
    await race.clock.advance(1)
    expect(race.started).toEqual(['a', 'b', 'c'])
  })

  it('does not hedge while bytes arrive, and does when they stop', async () => {
    const race = startRace(['a', 'b'])
    for (let i = 0; i < 10; i += 1) {
      await race.clock.advance(HEDGE_MS - 1)
      race.of('a').progress()
    }
    expect(race.started).toEqual(['a'])
    await race.clock.advance(HEDGE_MS)
    expect(race.started).toEqual(['a', 'b'])
  })

  it('cancels those without a byte when one sends its first, and reports the slow ones', async () => {
    const race = startRace(['a', 'b'])
    await race.clock.advance(HEDGE_MS)
    race.of('b').progress()
    expect(race.of('a').signal.aborted).toBe(true)
    expect(race.slow).toEqual(['a'])
    race.of('b').win('of b')
    expect(await race.result).toBe('of b')
  })

  it('does not report a hedge as slow that had no time to answer', async () => {
    const race = startRace(['a', 'b'])
    await race.clock.advance(HEDGE_MS)
    race.of('a').progress()
    expect(race.of('b').signal.aborted).toBe(true)
    expect(race.slow).toEqual([])
  })

  it('lets both continue when both have bytes, and cancels the other at the end', async () => {
    const race = startRace(['a', 'b'])
    race.of('a')?.progress()
    await race.turn()
    race.of('a').progress()
    await race.clock.advance(HEDGE_MS)
    race.of('b').progress()
    expect(race.of('a').signal.aborted).toBe(false)
    race.of('a').win('of a')
    expect(await race.result).toBe('of a')
    expect(race.of('b').signal.aborted).toBe(true)
  })

  it('retries a cancelled one when the winner fails', async () => {
    const race = startRace(['a', 'b'])
    await race.clock.advance(HEDGE_MS)
    race.of('b').progress()
    await race.turn()
    race.of('b').fail(new Error('cut'))
    await race.turn()
    expect(race.started).toEqual(['a', 'b', 'a'])
    race.of('a').win('of a')
    expect(await race.result).toBe('of a')
  })

  it('asks the next at once after a failure, and ends with all errors when all fail', async () => {
    const race = startRace(['a', 'b'])
    await race.turn()
    race.of('a').fail(new Error('one'))
    await race.turn()
    expect(race.started).toEqual(['a', 'b'])
    race.of('b').fail(new Error('two'))
    const error = await race.result.catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(RaceLostError)
    expect((error as RaceLostError).errors.map(String)).toEqual(['Error: one', 'Error: two'])
  })

  it('ends at once on an error that no other candidate can avoid', async () => {
    const race = startRace(['a', 'b', 'c'])
    await race.clock.advance(HEDGE_MS)
    race.of('b').fail(new RangeError('proved'))
    await expect(race.result).rejects.toThrow('proved')
    expect(race.of('a').signal.aborted).toBe(true)
    expect(race.started).toEqual(['a', 'b'])
  })

  it('ends with the reason of its signal', async () => {
    const controller = new AbortController()
    const race = startRace(['a', 'b'], controller.signal)
    await race.clock.advance(HEDGE_MS)
    controller.abort(new Error('time is up'))
    await expect(race.result).rejects.toThrow('time is up')
    expect(race.of('a').signal.reason).toMatchObject({ message: 'time is up' })
    expect(race.clock.sleeping).toBe(0)
  })

  it('passes on what a loser finished too late', async () => {
    const race = startRace(['stubborn', 'b'])
    await race.clock.advance(HEDGE_MS)
    race.of('b').win('bytes')
    await race.turn()
    race.of('stubborn').win('late bytes')
    expect(await race.result).toBe('bytes')
    expect(race.unused).toEqual(['late bytes'])
  })

  it('fails without candidates', async () => {
    await expect(startRace([]).result).rejects.toBeInstanceOf(RaceLostError)
  })
})
