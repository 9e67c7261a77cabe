import { describe, expect, it } from 'vitest'
import { WalletKeys } from '../../../src/sandbox/books/wallet-keys.js'
import { counting, diskFull, OTHER } from './book-parts.js'

describe('wallets of the sandbox', () => {
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
