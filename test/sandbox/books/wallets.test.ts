import { describe, expect, it } from 'vitest'
import { developmentWallets, isPrivateKey, WalletKeys } from '../../../src/sandbox/books/wallets.js'
import { counting, OTHER } from './book-parts.js'

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

  it('give their key by address, those of an earlier run too, and none for a wallet of somebody else', () => {
    const wallets = developmentWallets(counting())
    const made = new WalletKeys({ random: counting(), wallets, touched: () => {}, kept: [] })
    const address = made.create()
    expect(made.made()).toEqual([made.of(address)])
    const later = new WalletKeys({ random: counting(), wallets, touched: () => {}, kept: made.made() })
    expect(later.of(address)).toBe(made.of(address))
    expect(later.of(wallets.attester.address)).toBe(wallets.attester.privateKey)
    expect([later.of(OTHER), later.made()]).toEqual([null, made.made()])
  })
})
