import { describe, expect, it } from 'vitest'
import { type DetectorOrder, nextOrder } from '../../../src/app/rollout/detector-order.js'

const facts = { id: 'new', settings: ['a'] }
const last: DetectorOrder = { id: 'old', chosen: 'b', before: [null], settings: ['a'] }
const reload = (detectors?: string) => ({ kind: 'reload', ...(detectors === undefined ? {} : { detectors }) }) as const
const rollback = { kind: 'rollback' } as const

describe('the next order', () => {
  it('keeps the current selection where it names none, and remembers it where it does', () => {
    expect(nextOrder(last, reload(), facts)).toEqual({ ...facts, chosen: 'b', before: [null] })
    expect(nextOrder(last, reload('c'), facts)).toEqual({ ...facts, chosen: 'c', before: ['b'] })
    expect(nextOrder(last, reload('b'), facts)).toEqual({ ...facts, chosen: 'b', before: [null] })
    expect(nextOrder(null, reload('b'), facts)).toEqual({ ...facts, chosen: 'b', before: [null] })
  })

  it('returns to the previous selection, once', () => {
    expect(nextOrder(last, rollback, facts)).toEqual({ ...facts, chosen: null, before: [] })
    expect(() => nextOrder(nextOrder(last, rollback, facts), rollback, facts)).toThrow('no selection before')
  })

  it('starts over where no daemon has the setting of the last order any more', () => {
    const changed = { ...facts, settings: ['a=2'] }
    expect(nextOrder(last, reload(), changed)).toEqual({ ...changed, chosen: null, before: [] })
    expect(() => nextOrder(last, rollback, changed)).toThrow('no selection before')
  })
})
