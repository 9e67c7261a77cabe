import { describe, expect, it } from 'vitest'
import { developmentWallet, privateKeySchema, WalletKeys } from '../../../src/sandbox/books/wallets.js'
import { OTHER } from './book-parts.js'

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
    expect(privateKeySchema.safeParse(text).success).toBe(isOne)
  })

  it('return their key by address, including those of an earlier run, and none for a foreign wallet', () => {
    const wallet = (digit: string) => developmentWallet(`0x${digit.repeat(64)}`)
    const wallets = { attester: wallet('4'), submitter: wallet('5') }
    const made = new WalletKeys({ wallets, touched: () => {}, kept: [] })
    const address = made.create()
    expect(made.made()).toEqual([made.of(address)])
    const later = new WalletKeys({ wallets, touched: () => {}, kept: made.made() })
    expect(later.of(address)).toBe(made.of(address))
    expect(later.of(wallets.attester.address)).toBe(wallets.attester.privateKey)
    expect([later.of(OTHER), later.made()]).toEqual([null, made.made()])
  })
})
