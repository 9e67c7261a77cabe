import { describe, expect, it } from 'vitest'
import { Loops } from '../../../src/app/daemon/loops.js'
import { AttestdError } from '../../../src/core/errors.js'
import { KeptLog } from '../../support/kept-log.js'
import { ManualClock, settle } from '../../support/manual-clock.js'

describe('background loops', () => {
  function newLoops() {
    const stop = new AbortController()
    const clock = new ManualClock()
    const log = new KeptLog()
    const loops = new Loops(stop.signal, clock, log)
    const lost: Error[] = []
    void loops.lost.then((error) => lost.push(error))
    return { clock, log, loops, stop, lost }
  }

  it('end the process when they fail, with name and reason', async () => {
    const { log, loops } = newLoops()
    loops.keep('stream', Promise.reject(new AttestdError('queue-unreachable', 'gone')))
    expect(await loops.lost).toMatchObject({ reason: 'queue-unreachable', message: 'gone' })
    expect(log.lines).toMatchObject([{ level: 'error', loop: 'stream', reason: 'queue-unreachable' }])
  })

  it('end the process when they return too early', async () => {
    const { loops } = newLoops()
    loops.keep('list', Promise.resolve())
    expect(await loops.lost).toMatchObject({ reason: 'internal-error', message: 'it returned' })
  })

  it('end nothing once the process stops, whatever their outcome', async () => {
    const { log, loops, lost, stop } = newLoops()
    stop.abort()
    loops.keep('stream', Promise.reject(new Error('aborted')))
    loops.keep('list', Promise.resolve())
    loops.lose(new Error('the queue closed'))
    await loops.ended(1000)
    await settle()
    expect([lost, log.lines]).toEqual([[], []])
  })

  it('are waited for up to a time limit', async () => {
    const { clock, loops } = newLoops()
    loops.keep('stuck', new Promise(() => {}))
    const over: string[] = []
    const ended = loops.ended(5000).then(() => over.push('over'))
    await clock.advance(4999)
    expect(over).toEqual([])
    await clock.advance(1)
    await ended
  })

  it('report the first failure only', async () => {
    const { loops } = newLoops()
    loops.lose(new Error('first'))
    loops.lose(new Error('second'))
    expect((await loops.lost).message).toBe('first')
  })
})
