import { z } from 'zod'
import { address, define, folder, MINUTE, milliseconds, oneOf, originUrl, text } from './setting.js'

export const walletSettings = {
  wallet: define({
    path: 'wallet.kind',
    ...oneOf(['local', 'keystore', 'privy']),
    fallback: 'local',
    summary:
      'The wallet that signs: a private key in a file, an encrypted V3 keystore, or an embedded wallet at Privy.',
  }),
  walletAddress: define({
    path: 'wallet.address',
    parse: address,
    expects: 'an address, 0x and 40 hex characters',
    summary:
      'Address that the wallet must have; required for privy. With signed-key: the wallet whose stake is also read from the stake contract.',
  }),
  walletKey: define({
    path: 'wallet.key',
    parse: text(/^0x[0-9a-fA-F]{64}$/, '0x and 64 hex characters'),
    expects: 'a private key, 0x and 64 hex characters',
    summary: 'Private key of the local wallet.',
    secret: 'whole',
    ownerOnly: true,
  }),
  walletKeystore: define({
    path: 'wallet.keystore',
    parse: folder,
    expects: 'the path of a V3 keystore file',
    summary: 'Encrypted key of the keystore wallet; attestd wallet create makes one.',
  }),
  walletPassword: define({
    path: 'wallet.password',
    parse: z.string().min(1, 'a text that is not empty'),
    expects: 'the password of the keystore',
    summary: 'Opens the keystore; prompted for on a terminal if unset.',
    secret: 'whole',
    ownerOnly: true,
  }),
  walletTimeoutMs: define({
    path: 'wallet.timeoutMs',
    ...milliseconds(100, 5 * MINUTE),
    fallback: '10000',
    summary: 'Longest wait for a signature of a wallet provider.',
  }),
  privyAppId: define({
    path: 'wallet.privyAppId',
    parse: text(/^[\x21-\x7e]{1,200}$/, 'printable characters without spaces'),
    expects: 'the app id of Privy',
    summary: 'The Privy app that holds the wallet.',
  }),
  privyAppSecret: define({
    path: 'wallet.privyAppSecret',
    parse: text(/^[\x21-\x7e]{1,500}$/, 'printable characters without spaces'),
    expects: 'the app secret of Privy',
    summary: 'Authenticates the app at Privy.',
    secret: 'whole',
  }),
  privyWalletId: define({
    path: 'wallet.privyWalletId',
    parse: text(/^[A-Za-z0-9_-]{1,200}$/, 'letters, digits, _ and -'),
    expects: 'the id of a wallet at Privy',
    summary: 'The wallet that signs.',
  }),
  privyAuthorizationKey: define({
    path: 'wallet.privyAuthorizationKey',
    parse: text(/^[\x21-\x7e]{1,2000}$/, 'printable characters without spaces'),
    expects: 'a P-256 private key as Privy hands it out, wallet-auth:…',
    summary: 'Signs every wallet request, if the wallet or the app requires it.',
    secret: 'whole',
    ownerOnly: true,
  }),
  privyUrl: define({
    path: 'wallet.privyUrl',
    parse: originUrl,
    fallback: 'https://api.privy.io',
    expects: 'an origin, https:// or loopback',
    summary: "Origin of Privy's API.",
  }),
} as const
