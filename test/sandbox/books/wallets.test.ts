import { describe, expect, it } from 'vitest'
import { developmentWallets, isPrivateKey } from '../../../src/sandbox/books/development-wallets.js'
import { type ApiKey, KeyRing, maskedKey } from '../../../src/sandbox/books/key-ring.js'
import { RoleBook } from '../../../src/sandbox/books/role-book.js'
import { StakeBook, type StakeEntry } from '../../../src/sandbox/books/stake-book.js'
import { WalletKeys } from '../../../src/sandbox/books/wallet-keys.js'

const WALLET = `0x${'ab'.repeat(20)}` as const
const UPPER = `0x${'AB'.repeat(20)}`
const OTHER = `0x${'cd'.repeat(20)}` as const
/** Bytes that differ from call to call, and are the same in every run. */
function counting() {
  let calls = 0
  return (size: number) => new Uint8Array(size).fill(++calls)
}
const diskFull = () => {
  throw new Error('disk full')
}

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

describe('KeyRing', () => {
  const newRing = (keep?: (key: ApiKey) => void) => {
    const time = { now: 50 }
    return { time, ring: new KeyRing({ random: counting(), now: () => time.now, ...(keep ? { keep } : {}) }) }
  }

  it('makes keys up, or takes what is given; the wallet in lower case', () => {
    const { ring } = newRing()
    const made = ring.create({ kind: 'attester', label: 'a', wallet: UPPER })
    expect(made).toMatchObject({ wallet: WALLET, createdAt: 50, revokedAt: null })
    expect(made.accessKey).toMatch(/^ak_att_[0-9a-f]{24}$/)
    expect(made.signingSecret).toMatch(/^sk_[0-9a-f]{64}$/)
    const given = ring.create({ kind: 'submitter', label: '', wallet: null, accessKey: 'A', signingSecret: 'S' })
    expect(given).toMatchObject({ accessKey: 'A', signingSecret: 'S', wallet: null })
    expect([ring.find('A'), ring.byId(made.id), ring.all().length]).toEqual([given, made, 2])
    expect([ring.find('a'), ring.byId('A')]).toEqual([null, null])
  })

  it('revokes once, at the time of the first, and reports only that', () => {
    const { ring, time } = newRing()
    let heard = 0
    ring.changed.listen(() => heard++)
    const { id, accessKey } = ring.create({ kind: 'attester', label: '', wallet: null })
    time.now = 60
    ring.revoke(id)
    time.now = 70
    expect(ring.revoke(id)?.revokedAt).toBe(60)
    expect(ring.find(accessKey)?.revokedAt).toBe(60)
    expect([heard, ring.revoke('key_none')]).toEqual([1, null])
  })

  it('has no key and revokes none that cannot be kept', () => {
    const refusing = newRing(diskFull).ring
    expect(() => refusing.create({ kind: 'attester', label: '', wallet: null })).toThrow('disk full')
    expect(refusing.all()).toEqual([])
    const { id } = newRing().ring.create({ kind: 'attester', label: '', wallet: null })
    refusing.restore({ ...newRing().ring.create({ kind: 'attester', label: '', wallet: null }), id })
    expect(() => refusing.revoke(id)).toThrow('disk full')
    expect(refusing.byId(id)?.revokedAt).toBeNull()
  })

  it('shows of a key its beginning and four characters', () => {
    expect(maskedKey('ak_att_0123456789abcdef')).toBe('ak_att_…cdef')
  })
})

describe('wallets of the sandbox', () => {
  it.each([
    ['1', `0x${'00'.repeat(31)}01`, true],
    ['the largest', '0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364140', true],
    ['zero', `0x${'00'.repeat(32)}`, false],
    ['the order itself', '0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141', false],
    ['one digit short', `0x${'1'.repeat(63)}`, false],
    ['one digit more', `0x${'1'.repeat(65)}`, false],
    ['no 0x', '11'.repeat(32), false],
    ['no hex', `0x${'1g'.repeat(32)}`, false],
  ])('%s is a private key: %s', (_, text, isOne) => {
    expect(isPrivateKey(text)).toBe(isOne)
  })

  it('are made up where they are not given, one for each role', () => {
    const attester = `0x${'44'.repeat(32)}` as const
    const wallets = developmentWallets(counting(), { attester })
    expect(wallets.attester.privateKey).toBe(attester)
    expect(wallets.submitter.address).toMatch(/^0x[0-9a-f]{40}$/)
    expect(developmentWallets(counting()).attester.address).not.toBe(developmentWallets(counting()).submitter.address)
  })

  it('give their key by address, and none for a wallet of somebody else', () => {
    const kept: unknown[] = []
    const keys = new WalletKeys({ random: counting(), keep: (wallet) => kept.push(wallet) })
    const address = keys.create()
    expect(kept).toEqual([{ address, privateKey: keys.of(address) }])
    expect(keys.of(OTHER)).toBeNull()
    const refusing = new WalletKeys({ random: counting(), keep: diskFull })
    expect(() => refusing.create()).toThrow('disk full')
    expect(refusing.of(address)).toBeNull()
  })
})
