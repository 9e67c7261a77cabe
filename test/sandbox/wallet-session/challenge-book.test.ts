import { describe, expect, it } from 'vitest'
import { ChallengeBook } from '../../../src/sandbox/wallet-session/challenge-book.js'

const LIFETIME = 1000
const UNKNOWN = expect.stringContaining('unknown or was already used')
const addressOf = (nth: number) => `0x${nth.toString(16).padStart(40, '0')}` as const

function newBook() {
  const time = { now: 0 }
  const options = { now: () => time.now, lifetimeMs: LIFETIME, chainId: 7, shapes: {} }
  return { time, book: new ChallengeBook(options) }
}
const taken = (book: ChallengeBook, nonce: string) => {
  try {
    return book.take(nonce).nonce === nonce
  } catch (error) {
    return (error as Error).message
  }
}

describe('challenges that wait for their signature', () => {
  it('are valid once, and until they expire, exclusive', () => {
    const { book, time } = newBook()
    const [first, second] = [book.issue(addressOf(1), 'h').nonce, book.issue(addressOf(1), 'h').nonce]
    time.now = LIFETIME - 1
    expect([taken(book, first), taken(book, first)]).toEqual([true, expect.stringContaining('already used')])
    time.now = LIFETIME
    expect(taken(book, second)).toContain('has expired')
  })

  it('make room for others as soon as they have expired', () => {
    const { book, time } = newBook()
    const nonces = [1, 2, 3].map((nth) => book.issue(addressOf(nth), 'h').nonce)
    time.now = LIFETIME - 1
    const later = book.issue(addressOf(9), 'h').nonce
    expect(taken(book, nonces[0]!)).toBe(true)
    time.now = LIFETIME
    book.issue(addressOf(9), 'h')
    expect(nonces.slice(1).map((nonce) => taken(book, nonce))).toEqual([UNKNOWN, UNKNOWN])
    expect(taken(book, later)).toBe(true)
  })
})
