import { z } from 'zod'
import { address, define, folder, integer, MINUTE, oneOf, originUrl, text } from './setting.js'

/** The wallet of a wallet-session service. */
export const walletSettings = {
  wallet: define({
    env: 'WALLET',
    path: 'wallet.kind',
    parse: oneOf(['local', 'keystore', 'privy']),
    fallback: 'local',
    expects: 'local, keystore or privy',
    summary:
      'Which wallet signs in and signs attestations on a wallet-session service: a private key in a file, an encrypted V3 keystore, or an embedded wallet at Privy.',
  }),
  walletAddress: define({
    env: 'WALLET_ADDRESS',
    path: 'wallet.address',
    parse: address,
    expects: 'an address, 0x and 40 hex characters',
    summary:
      'The address that the wallet must have; needed for privy. On a signed-key service: the wallet of the key, whose stake is read from the stake contract as a second opinion.',
  }),
  walletKey: define({
    env: 'WALLET_KEY',
    path: 'wallet.key',
    parse: text(/^0x[0-9a-fA-F]{64}$/, '0x and 64 hex characters'),
    expects: 'a private key, 0x and 64 hex characters',
    summary: 'Private key of the local wallet. Better provided as a file.',
    secret: 'whole',
    ownerOnly: true,
  }),
  walletKeystore: define({
    env: 'WALLET_KEYSTORE',
    path: 'wallet.keystore',
    parse: folder,
    expects: 'the path of a V3 keystore file',
    summary: 'Encrypted key of the keystore wallet; attestd wallet create makes one.',
  }),
  walletPassword: define({
    env: 'WALLET_PASSWORD',
    path: 'wallet.password',
    parse: z.string().min(1, 'a text that is not empty'),
    expects: 'the password of the keystore',
    summary: 'Opens the keystore. Prompted for on a terminal if it is not set.',
    secret: 'whole',
    ownerOnly: true,
  }),
  walletTimeoutMs: define({
    env: 'WALLET_TIMEOUT_MS',
    path: 'wallet.timeoutMs',
    parse: integer(100, 5 * MINUTE),
    fallback: '10000',
    expects: 'milliseconds, 100 to 300000',
    summary: 'Longest wait for one signature of a wallet provider.',
  }),
  privyAppId: define({
    env: 'PRIVY_APP_ID',
    path: 'wallet.privyAppId',
    parse: text(/^[\x21-\x7e]{1,200}$/, 'printable characters without spaces'),
    expects: 'the app id of Privy',
    summary: 'The Privy app that holds the wallet.',
  }),
  privyAppSecret: define({
    env: 'PRIVY_APP_SECRET',
    path: 'wallet.privyAppSecret',
    parse: text(/^[\x21-\x7e]{1,500}$/, 'printable characters without spaces'),
    expects: 'the app secret of Privy',
    summary: 'Authenticates the app at Privy.',
    secret: 'whole',
  }),
  privyWalletId: define({
    env: 'PRIVY_WALLET_ID',
    path: 'wallet.privyWalletId',
    parse: text(/^[A-Za-z0-9_-]{1,200}$/, 'letters, digits, _ and -'),
    expects: 'the id of a wallet at Privy',
    summary: 'The wallet that signs.',
  }),
  privyAuthorizationKey: define({
    env: 'PRIVY_AUTHORIZATION_KEY',
    path: 'wallet.privyAuthorizationKey',
    parse: text(/^[\x21-\x7e]{1,2000}$/, 'printable characters without spaces'),
    expects: 'a P-256 private key as Privy hands it out, wallet-auth:…',
    summary: 'Signs every wallet request, where the wallet or the app asks for it.',
    secret: 'whole',
    ownerOnly: true,
  }),
  privyUrl: define({
    env: 'PRIVY_URL',
    path: 'wallet.privyUrl',
    parse: originUrl,
    fallback: 'https://api.privy.io',
    expects: 'an origin, https:// or loopback',
    summary: "Where Privy's API is.",
  }),
} as const
