import { describe, expect, it } from 'vitest'
import { neededForKeys, neededToRegister, neededToRun } from '../../../src/cli/flags/needed-settings.js'
import type { Settings } from '../../../src/config/settings.js'

describe('the settings that a verb requires', () => {
  const of = (change: Partial<Settings>) =>
    ({ wallet: 'local', serviceApi: 'signed-key', ...change }) as Partial<Settings>
  const session = { serviceApi: 'wallet-session' } as const

  it.each<[string, Partial<Settings>, string[]]>([
    ['that analyzes alone needs none', of({ roles: ['analyze'] }), []],
    ['with people who decide needs a password', of({ roles: ['analyze'], unsurePolicy: 'review' }), ['httpPassword']],
    [
      'with any other role needs a key',
      of({ roles: ['analyze', 'submit'] }),
      ['serviceUrl', 'accessKey', 'signingSecret'],
    ],
    ['with a local wallet', of({ ...session, roles: ['intake'] }), ['serviceUrl', 'walletKey', 'stakeContract']],
    ['with a keystore', of({ ...session, wallet: 'keystore' }), ['serviceUrl', 'walletKeystore', 'stakeContract']],
    [
      'with a wallet at Privy',
      of({ ...session, wallet: 'privy' }),
      ['serviceUrl', 'walletAddress', 'privyAppId', 'privyAppSecret', 'privyWalletId', 'stakeContract'],
    ],
    ['with a kind of wallet that was refused', { ...session }, ['serviceUrl', 'stakeContract']],
  ])('run %s', (_, settings, needed) => {
    expect(neededToRun(settings)).toEqual(needed)
  })

  it('register needs no stake contract; keys need a session, of a token or a wallet', () => {
    expect(neededToRegister(of({}))).toEqual(['serviceUrl', 'accessKey', 'signingSecret'])
    expect(neededToRegister(of(session))).toEqual(['serviceUrl', 'walletKey'])
    expect(neededForKeys(of({}))).toEqual(['serviceUrl', 'sessionToken'])
    expect(neededForKeys(of(session))).toEqual(['serviceUrl', 'walletKey'])
  })
})
