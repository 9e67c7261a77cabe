import { describe, expect, it } from 'vitest'
import { RoleBook } from '../../../src/sandbox/books/role-book.js'
import { diskFull, OTHER, UPPER, WALLET } from './book-parts.js'

describe('RoleBook', () => {
  const ATTESTER = { attester: true, submitter: false }

  it('gives the first roles, none to a stranger, and what was set however it is spelled', () => {
    const book = new RoleBook(new Map([[WALLET, ATTESTER]]))
    expect([book.of(UPPER), book.of(OTHER)]).toEqual([ATTESTER, { attester: false, submitter: false }])
    book.set(OTHER.toUpperCase().replace('0X', '0x'), { attester: false, submitter: true })
    expect(book.of(OTHER).submitter).toBe(true)
    expect(book.wallets()).toEqual([WALLET, OTHER])
    book.reset()
    expect([book.of(OTHER).submitter, book.wallets()]).toEqual([false, [WALLET]])
  })

  it('keeps a change of either role, and nothing that changes nothing', () => {
    const kept: unknown[] = []
    const book = new RoleBook(new Map([[WALLET, ATTESTER]]), (wallet, roles) => kept.push([wallet, roles]))
    book.set(WALLET, { ...ATTESTER })
    book.set(UPPER, { attester: true, submitter: true })
    book.set(WALLET, { attester: false, submitter: true })
    expect(kept).toEqual([
      [WALLET, { attester: true, submitter: true }],
      [WALLET, { attester: false, submitter: true }],
    ])
  })

  it('is as before where a change cannot be kept', () => {
    const book = new RoleBook(new Map([[WALLET, ATTESTER]]), diskFull)
    expect(() => book.set(WALLET, { attester: false, submitter: false })).toThrow('disk full')
    expect(book.of(WALLET)).toEqual(ATTESTER)
  })
})
