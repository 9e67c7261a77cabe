import { afterEach, describe, expect, it } from 'vitest'
import { aborted, listenForStop, type StopSignals } from '../../src/core/shutdown.js'
import { ManualClock, settle } from '../support/manual-clock.js'

let stop: StopSignals | undefined
afterEach(() => stop?.dispose())

function listen(): { clock: ManualClock; state: () => [drain: boolean, force: boolean] } {
  const clock = new ManualClock()
  const signals = listenForStop(clock)
  stop = signals
  return { clock, state: () => [signals.drain.aborted, signals.force.aborted] }
}

/** Calls our own listeners alone, as the signal would. */
function send(signal: 'SIGTERM' | 'SIGINT'): void {
  process.listeners(signal).at(-1)?.(signal)
}

describe('a stop', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('begins to drain at the first %s', (signal) => {
    const { state } = listen()
    expect(state()).toEqual([false, false])
    send(signal)
    expect(state()).toEqual([true, false])
  })

  it.each([
    ['is one request where a terminal and npm both forward the same Ctrl-C', [0, 499, 0], false],
    ['is forced by a second request, half a second after the first or later', [0, 500], true],
    ['is measured from the first signal, so that an impatient person succeeds', [0, 200, 200, 200], true],
  ])('%s', (_, waits, isForced) => {
    const { clock, state } = listen()
    for (const [nth, wait] of waits.entries()) {
      clock.tick(wait)
      send(nth === waits.length - 1 ? 'SIGTERM' : 'SIGINT')
    }
    expect(state()).toEqual([true, isForced])
  })

  it('does not depend on the wall clock, which may be set back meanwhile', () => {
    const { clock, state } = listen()
    send('SIGTERM')
    clock.stepWall(-3_600_000)
    clock.tick(500)
    send('SIGTERM')
    expect(state()).toEqual([true, true])
  })

  it('has no listener once it was canceled', () => {
    const count = () => [process.listenerCount('SIGTERM'), process.listenerCount('SIGINT')]
    const before = count()
    listen()
    expect(count()).toEqual(before.map((listeners) => listeners + 1))
    stop?.dispose()
    expect(count()).toEqual(before)
  })
})

it('waiting for a signal ends at once where it has aborted, else when it does', async () => {
  await aborted(AbortSignal.abort())
  const later = new AbortController()
  const over: string[] = []
  const waiting = aborted(later.signal).then(() => over.push('over'))
  await settle()
  expect(over).toEqual([])
  later.abort(new Error('is no failure of the wait'))
  await waiting
})
