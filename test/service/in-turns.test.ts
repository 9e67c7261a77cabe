import { expect, it } from 'vitest'
import { inTurns } from '../../src/service/in-turns.js'

it('gives items in order, and the event loop its turn after every 64', async () => {
  let turns = 0
  let isCounting = true
  const count = () => {
    turns++
    if (isCounting) setImmediate(count)
  }
  setImmediate(count)
  const seen: number[] = []
  for await (const item of inTurns(Array.from({ length: 640 }, (_, at) => at))) seen.push(item)
  isCounting = false
  expect(seen).toEqual(Array.from({ length: 640 }, (_, at) => at))
  expect(turns).toBeGreaterThanOrEqual(9)
})
