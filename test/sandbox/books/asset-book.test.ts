import { describe, expect, it } from 'vitest'
import { AssetBook, type NewAsset, type SandboxAsset } from '../../../src/sandbox/books/asset-book.js'

const NOW = Date.UTC(2026, 0, 1)
const asset = (nth = 1, deadline = '2026-01-01T01:00:00Z'): NewAsset => ({
  title: `asset ${nth}`,
  mediaContext: '',
  contentType: 'auto',
  contentHash: `0x${String(nth).padStart(64, 'aB')}`,
  uri: 'ipfs://x',
  contributorAttestationUid: '0x',
  verificationDeadline: deadline,
  mediaType: null,
  turnaround: 'standard',
  ownerAddress: '0x1',
})

function newBook(run = 'run', kept: SandboxAsset[] = []) {
  const time = { now: NOW }
  const book = new AssetBook({ now: () => time.now, run, kept })
  const heard: string[][] = []
  book.changed.listen(() => heard.push(book.open().map(({ title }) => title)), new AbortController().signal)
  return { book, heard, time }
}

describe('an asset is open', () => {
  it('until its deadline, exclusive', () => {
    const { book, time } = newBook()
    const { id, deadlineAt } = book.register(asset())
    time.now = deadlineAt - 1
    expect(book.findOpen(id)?.id).toBe(id)
    time.now = deadlineAt
    expect(book.findOpen(id)).toBeNull()
    expect(book.open()).toEqual([])
    expect(book.find(id)?.id).toBe(id)
  })

  it('while it is not switched off; a switch back does not move the deadline', () => {
    const { book, time } = newBook()
    const { id, deadlineAt } = book.register(asset())
    expect(book.switch(id, 'closed')).toBe(true)
    expect(book.findOpen(id)).toBeNull()
    expect(book.switch(id, 'open')).toBe(true)
    expect(book.findOpen(id)).not.toBeNull()
    time.now = deadlineAt
    book.switch(id, 'open')
    expect(book.findOpen(id)).toBeNull()
    expect(book.switch('ast_none', 'open')).toBe(false)
  })
})

describe('listeners are notified', () => {
  it('of each asset that opens, and of none that is closed from the start', () => {
    const { book, heard } = newBook()
    book.register(asset(1))
    book.register(asset(2, '2025-12-31T00:00:00Z'))
    book.register(asset(3))
    expect(heard).toEqual([['asset 1'], ['asset 1', 'asset 3']])
  })

  it('once of deadlines that passed since the last notification', () => {
    const { book, heard, time } = newBook()
    book.register(asset(1))
    book.register(asset(2))
    heard.length = 0
    book.sweep()
    expect(heard).toEqual([])
    time.now += 3_600_000
    book.sweep()
    book.sweep()
    expect(heard).toEqual([[]])
  })

  it('of a switch that changes something, and of no other', () => {
    const { book, heard } = newBook()
    const { id } = book.register(asset())
    heard.length = 0
    book.switch(id, 'open')
    expect(heard).toEqual([])
    book.switch(id, 'closed')
    book.switch(id, 'closed')
    expect(heard).toEqual([[]])
  })

  it('of a clock that is set back, so that a closed asset opens again', () => {
    const { book, heard, time } = newBook()
    book.register(asset())
    time.now += 3_600_000
    book.sweep()
    time.now -= 1
    book.sweep()
    expect(heard.at(-1)).toEqual(['asset 1'])
  })

  it('of nothing stored by an earlier run, until it changes', () => {
    const other = newBook().book.register(asset())
    const { book, heard, time } = newBook('run', [other])
    expect(heard).toEqual([])
    expect(book.findOpen(other.id)).toEqual(other)
    time.now += 3_600_000
    book.sweep()
    expect(heard).toEqual([[]])
  })

  it('no more after they unsubscribed', () => {
    const { book } = newBook()
    let count = 0
    const stop = new AbortController()
    book.changed.listen(() => count++, stop.signal)
    book.register(asset(1))
    stop.abort()
    book.register(asset(2))
    expect(count).toBe(1)
  })
})

describe('the ids', () => {
  it('are the same for the same content in every run of a name, and others in a run of another name', () => {
    const ids = (run: string) => {
      const { book } = newBook(run)
      return [asset(1), asset(2), asset(1)].map((each) => book.register(each).id)
    }
    expect(ids('a')).toEqual(ids('a'))
    expect(new Set([...ids('a'), ...ids('b')]).size).toBe(6)
    expect(ids('a')[0]).toMatch(/^ast_[0-9a-f]{20}$/)
  })

  it('do not depend on how the hash is spelled', () => {
    const spelled = (change: (hash: string) => string) =>
      newBook().book.register({ ...asset(), contentHash: change(asset().contentHash) }).id
    expect(spelled((hash) => hash.toLowerCase())).toBe(spelled((hash) => hash))
  })

  it('continue after the stored ones', () => {
    const first = newBook().book.register(asset())
    const { book } = newBook('run', [first])
    expect(book.register(asset()).id).not.toBe(first.id)
  })

  it('start over after a reset', () => {
    const { book, heard } = newBook()
    const first = book.register(asset()).id
    book.clear()
    expect(book.all()).toEqual([])
    expect(heard.at(-1)).toEqual([])
    expect(book.register(asset()).id).toBe(first)
    expect(heard.at(-1)).toEqual(['asset 1'])
  })
})
