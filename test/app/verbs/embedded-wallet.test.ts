import { describe, expect, it } from 'vitest'
import { embeddedWalletOptions } from '../../../src/app/verbs/embedded-wallet.js'

describe('the embedded wallets of a sandbox', () => {
  it('are local ones, or none', () => {
    expect(embeddedWalletOptions('local', {})).toEqual({ embeddedWallet: { kind: 'local' } })
    expect(embeddedWalletOptions('none', {})).toEqual({ embeddedWallet: null })
  })

  it('at Privy are those of the settings, that wallet the one of the attester', () => {
    const address = `0x${'ab'.repeat(20)}`
    const env = {
      ATTESTD_WALLET_ADDRESS: address,
      ATTESTD_PRIVY_APP_ID: 'app',
      ATTESTD_PRIVY_APP_SECRET: 'hush',
      ATTESTD_PRIVY_WALLET_ID: 'w1',
    }
    expect(embeddedWalletOptions('privy', env)).toMatchObject({
      attesterWallet: address,
      embeddedWallet: { kind: 'privy', appId: 'app', appSecret: 'hush', walletIds: { [address]: 'w1' } },
    })
    expect(() => embeddedWalletOptions('privy', { ...env, ATTESTD_PRIVY_APP_SECRET: '' })).toThrow(
      /ATTESTD_PRIVY_APP_SECRET/,
    )
  })
})
