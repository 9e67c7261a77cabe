import { describe, expect, it } from 'vitest'
import { AttestdError } from '../../src/core/errors.js'
import { errorFacts } from '../../src/observe/error-facts.js'

describe('errorFacts', () => {
  it('returns a stack of at most twelve frames, and only for an unexpected error', () => {
    const deep = (left: number): Error => (left === 0 ? new Error('deep') : deep(left - 1))
    const usual = Error.stackTraceLimit
    Error.stackTraceLimit = 50
    const { stack } = errorFacts(deep(30))
    Error.stackTraceLimit = usual
    expect(stack).toHaveLength(12)
    expect(stack?.[0]).toMatch(/^at .*error-facts\.test/)
    expect(errorFacts(new AttestdError('queue-unreachable', 'No Redis.')).stack).toBeUndefined()
  })

  it('shows where an unexpected error was thrown first, not where it was passed on', () => {
    function theCulprit(): Error {
      return new TypeError('inner')
    }
    const { stack } = errorFacts(new Error('outer', { cause: theCulprit() }))
    expect(stack?.[0]).toContain('theCulprit')
  })

  it.each([
    ['a text', 'just text'],
    ['a number', 7],
    ['null', null],
    ['undefined', undefined],
    ['an object', { odd: true }],
    ['an error without a message', new Error('')],
  ])('reads %s that was thrown', (_, thrown) => {
    const facts = errorFacts(thrown)
    expect(facts.type).toEqual(expect.any(String))
    expect(facts.message).toEqual(expect.any(String))
  })

  it('cuts a message at 2,000 units', () => {
    expect(errorFacts(new Error('x'.repeat(2000))).message).toBe('x'.repeat(2000))
    const { message } = errorFacts(new Error('y'.repeat(2001)))
    expect(message.length).toBeLessThanOrEqual(2001)
    expect(message).not.toBe('y'.repeat(2001))
  })

  it('keeps the code of a system error, its own and that of its causes', () => {
    const cause = Object.assign(new Error('connect'), { code: 'ECONNRESET' })
    expect(errorFacts(Object.assign(new Error('open'), { code: 'EMFILE' })).code).toBe('EMFILE')
    expect(errorFacts(new Error('outer', { cause })).causes).toEqual([
      { type: 'Error', message: 'connect', code: 'ECONNRESET' },
    ])
  })

  it('lists each cause once, also where it is reached twice', () => {
    const shared = new Error('shared')
    const bundle = new AggregateError([new Error('left', { cause: shared }), shared], 'both')
    const found = errorFacts(new Error('outer', { cause: bundle })).causes?.map(({ message }) => message)
    expect(found?.toSorted()).toEqual(['both', 'left', 'shared'])
  })

  it('lists the errors of an AggregateError, and causes that are no errors', () => {
    const bundle = new AggregateError([new RangeError('a'), 'b'], 'several')
    const found = errorFacts(new Error('outer', { cause: bundle })).causes?.map(({ message }) => message)
    expect(found).toEqual(['several', 'a', 'b'])
  })
})
