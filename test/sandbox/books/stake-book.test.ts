import { describe, expect, it } from 'vitest'
import { StakeBook, type StakeEntry } from '../../../src/sandbox/books/stake-book.js'
import { diskFull, OTHER, UPPER, WALLET } from './book-parts.js'

describe('StakeBook', () => {
  const newBook = (keep?: (entry: StakeEntry) => void) => {
    const book = new StakeBook({ stakedWei: 100n, minStakeWei: 100n }, keep)
    const heard: bigint[] = []
    book.changed.listen(() => heard.push(book.of(WALLET).stakedWei))
    return { book, heard }
  }

  it('a wallet that was never set has the first stake, and enough from the minimum on', () => {
    const { book } = newBook()
    expect(book.of(WALLET)).toEqual({ stakedWei: 100n, minStakeWei: 100n })
    expect(book.isEnough(WALLET)).toBe(true)
    book.set(WALLET, 99n)
    expect([book.isEnough(WALLET), book.isEnough(OTHER)]).toEqual([false, true])
    book.setMinimum(101n)
    expect(book.isEnough(OTHER)).toBe(false)
    book.set(OTHER, 101n)
    expect(book.isEnough(OTHER)).toBe(true)
  })

  it('is one stake however the wallet is spelled', () => {
    const { book } = newBook()
    book.set(UPPER, 7n)
    expect(book.of(WALLET).stakedWei).toBe(7n)
    expect(book.wallets()).toEqual([WALLET])
  })

  it('keeps and reports each change once, and nothing that changes nothing', () => {
    const kept: StakeEntry[] = []
    const { book, heard } = newBook((entry) => kept.push(entry))
    book.set(WALLET, 5n)
    book.set(UPPER, 5n)
    book.setMinimum(100n)
    book.setMinimum(6n)
    expect(kept).toEqual([{ wallet: WALLET, stakedWei: 5n }, { minStakeWei: 6n }])
    expect(heard).toEqual([5n, 5n])
  })

  it('goes back to the start, and takes up what was kept', () => {
    const { book, heard } = newBook()
    book.restore({ wallet: WALLET, stakedWei: 3n })
    book.restore({ minStakeWei: 4n })
    expect([book.of(WALLET), heard]).toEqual([{ stakedWei: 3n, minStakeWei: 4n }, []])
    book.reset()
    expect([book.of(WALLET), book.wallets()]).toEqual([{ stakedWei: 100n, minStakeWei: 100n }, []])
    expect(heard).toEqual([100n])
  })

  it('is as before where a change cannot be kept', () => {
    const { book, heard } = newBook(diskFull)
    expect(() => book.set(WALLET, 1n)).toThrow('disk full')
    expect(() => book.setMinimum(1n)).toThrow('disk full')
    expect([book.of(WALLET), heard]).toEqual([{ stakedWei: 100n, minStakeWei: 100n }, []])
  })
})
