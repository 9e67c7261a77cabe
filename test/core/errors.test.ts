import { describe, expect, it } from 'vitest'
import { AttestdError, attestdErrorIn, errorCode, errorText, isAbort, toAttestdError } from '../../src/core/errors.js'
import { isReason, reasonEntry } from '../../src/core/reasons.js'

describe('the text of a thrown value', () => {
  const caused = (message: string, cause: unknown) => new Error(message, { cause })
  it.each([
    ['a cause that says more is added', caused('fetch failed', new Error('ECONNRESET')), 'fetch failed: ECONNRESET'],
    ['one that was quoted already is not', caused('read ECONNRESET', new Error('ECONNRESET')), 'read ECONNRESET'],
    ['one that is no error is left out', caused('fetch failed', { code: 7 }), 'fetch failed'],
    ['an error without a message has its name', new RangeError(''), 'RangeError'],
    ['undefined', undefined, 'undefined'],
    ['null', null, 'null'],
    ['a number', 7, '7'],
    ['words', 'words', 'words'],
    ['an object with nested parts has its plain ones', { name: 'E', errno: 2, more: { a: 1 } }, 'name E, errno 2'],
  ])('%s', (_, thrown, text) => {
    expect(errorText(thrown)).toBe(text)
  })

  it('of an empty object is not that of its type', () => {
    expect(errorText({})).not.toContain('[object')
  })
})

const coded = (code: unknown, cause?: unknown) => Object.assign(new Error('x', { cause }), { code })
it.each([
  ['its own', coded('ECONNREFUSED', coded('EPIPE')), 'ECONNREFUSED'],
  ['that of its cause', new TypeError('fetch failed', { cause: coded('ENOTFOUND') }), 'ENOTFOUND'],
  ['none where it is a number, as of a DOMException', new DOMException('late', 'TimeoutError'), undefined],
  ['none of an error without one', new Error('x', { cause: 'words' }), undefined],
  ['none of what is no error', null, undefined],
])('the code of an error is %s', (_, error, code) => {
  expect(errorCode(error)).toBe(code)
})

describe('an error of attestd', () => {
  it('has the kind and text of its reason, and the fix of its case before that of the list', () => {
    expect(new AttestdError('stake-low')).toMatchObject({ kind: 'wait', message: reasonEntry('stake-low').summary })
    expect([isReason('stake-low'), isReason('toString')]).toEqual([true, false])
    expect(new AttestdError('stake-low', 'low', { fix: 'deposit 5' }).fix).toBe('deposit 5')
    expect(new AttestdError('stake-low', 'low').fix).toBe(reasonEntry('stake-low').fix)
  })

  it('is not ambiguous, and has no wait and no facts by default', () => {
    const plain = new AttestdError('internal-error')
    expect(plain).toMatchObject({ ambiguous: false, retryAfterMs: undefined })
    expect(plain.facts).toEqual({})
    expect('cause' in plain).toBe(false)
    const own = new AttestdError('internal-error', 'x', { ambiguous: true, retryAfterMs: 0, facts: { status: 503 } })
    expect(own).toMatchObject({ ambiguous: true, retryAfterMs: 0, facts: { status: 503 } })
  })

  it('wraps a foreign one with the reason of the place', () => {
    const foreign = new Error('connection terminated')
    expect(toAttestdError(foreign, 'queue-unreachable')).toMatchObject({ reason: 'queue-unreachable', cause: foreign })
    expect(toAttestdError(foreign)).toMatchObject({ reason: 'internal-error', kind: 'retry', message: foreign.message })
    expect(toAttestdError('words')).toMatchObject({ reason: 'internal-error', message: 'words' })
  })

  it('keeps its reason where a place has another one for foreign errors', () => {
    const own = new AttestdError('stake-low')
    expect(toAttestdError(own, 'queue-unreachable')).toBe(own)
  })

  it('is found below its wrappers', () => {
    const own = new AttestdError('stake-low')
    const wrapped = new Error('contract call failed', { cause: new Error('request failed', { cause: own }) })
    expect(attestdErrorIn(own)).toBe(own)
    expect(attestdErrorIn(wrapped)).toBe(own)
    expect(attestdErrorIn(new Error('alone'))).toBeNull()
    expect(attestdErrorIn({ cause: own })).toBeNull()
    expect(attestdErrorIn(undefined)).toBeNull()
  })
})

it.each([
  ['of a controller', AbortSignal.abort().reason, true],
  ['by a time limit', new DOMException('late', 'TimeoutError'), true],
  ['is no other error', new Error('AbortError'), false],
  ['is no reason that a caller gave', AbortSignal.abort(new Error('draining')).reason, false],
  ['is no object that says so', { name: 'AbortError' }, false],
  ['is not nothing', undefined, false],
])('an abort %s', (_, error, expected) => {
  expect(isAbort(error)).toBe(expected)
})
