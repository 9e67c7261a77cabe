import { describe, expect, it } from 'vitest'
import { STEP_BYTES, TURN_BYTES, Turns } from '../../../src/core/turns/turns.js'

function counted() {
  let taken = 0
  const turns = new Turns(async () => {
    taken++
  })
  return { turns, taken: () => taken }
}

describe('long work', () => {
  it('gives way once a turn is full, and not before', async () => {
    const { taken, turns } = counted()
    await turns.step(TURN_BYTES - 2 * STEP_BYTES - 1)
    expect(taken()).toBe(0)
    await turns.step()
    expect(taken()).toBe(0)
    await turns.step()
    expect(taken()).toBe(1)
  })

  it('of many empty steps gives way too', async () => {
    const { taken, turns } = counted()
    const stepsOfTurn = TURN_BYTES / STEP_BYTES
    for (let step = 0; step < 3 * stepsOfTurn; step++) await turns.step()
    expect(taken()).toBe(3)
  })

  it('gives way once for a large step, and starts a fresh turn with the next', async () => {
    const { taken, turns } = counted()
    await turns.step(10 * TURN_BYTES)
    await turns.step()
    expect(taken()).toBe(1)
  })

  it('lets what waits on the event loop run by itself', async () => {
    let ran = false
    setImmediate(() => {
      ran = true
    })
    await new Turns().step(TURN_BYTES)
    expect(ran).toBe(true)
  })
})
