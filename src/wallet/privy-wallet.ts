import { PrivyClient } from '@privy-io/server-auth'
import { createViemAccount } from '@privy-io/server-auth/viem'
import { type Address, getAddress } from 'viem'
import { AttestdError } from '../core/errors.js'
import { isLoopback } from '../core/net/loopback.js'
import { createPrivyFetch, type PrivyFetchOptions } from './privy-fetch.js'
import type { Signer } from './signer.js'

export interface PrivyWallet {
  readonly appId: string
  readonly appSecret: string
  readonly walletId: string
  /** P-256 key that signs the requests, `wallet-auth:` and base64 of PKCS #8, where the wallet asks for it. */
  readonly authorizationKey?: string | undefined
  /** Origin; https, or this machine. */
  readonly apiUrl: string
  /** For one signature, milliseconds. */
  readonly timeoutMs: number
  /** Of the wallet: the library does not ask for it. */
  readonly address: Address
}

/**
 * The signer of an embedded wallet at Privy. Import this file only when it is needed: the library takes 0.7 s and 57 MB.
 * Nothing is sent before the first signature. One request a signature, never repeated here. Signing throws
 * `wallet-unreachable`, `wallet-rate-limited`, `wallet-refused`, or the reason of the signal.
 * @throws AttestdError wallet-unusable
 */
export async function openPrivyWallet(
  wallet: PrivyWallet,
  options: Omit<PrivyFetchOptions, 'timeoutMs'>,
): Promise<Signer> {
  const { timeoutMs, walletId } = wallet
  const privy = openClient(wallet)
  useFetch(privy, createPrivyFetch({ ...options, timeoutMs }))
  // The library's two entries declare the class in two files, which TypeScript takes for two classes.
  const account = await createViemAccount({ walletId, address: getAddress(wallet.address), privy: privy as never })
  return {
    address: account.address,
    signMessage: (message) => account.signMessage(message).catch(rethrow),
    signTypedData: (typedData) => account.signTypedData(typedData).catch(rethrow),
  }

  function rethrow(error: unknown): never {
    if (options.signal?.aborted) throw options.signal.reason
    // The library wraps what its fetch throws.
    const cause = error instanceof Error ? error.cause : undefined
    if (cause instanceof AttestdError) throw cause
    throw new AttestdError('wallet-refused', "Privy's library could not make the request.", {
      facts: { error: error instanceof Error ? error.name : typeof error },
    })
  }
}

function openClient({ appId, appSecret, apiUrl, authorizationKey, timeoutMs }: PrivyWallet): PrivyClient {
  const url = new URL(apiUrl)
  if (url.protocol !== 'https:' && !isLoopback(url.hostname)) {
    throw new AttestdError('wallet-unusable', 'The URL of Privy must begin with https://, or lead to this machine.')
  }
  const apiURL = url.origin
  const walletApi = { apiURL, ...(authorizationKey === undefined ? {} : { authorizationPrivateKey: authorizationKey }) }
  try {
    return new PrivyClient(appId, appSecret, { apiURL, timeout: timeoutMs, walletApi })
  } catch {
    // No cause: it may hold the key.
    throw new AttestdError(
      'wallet-unusable',
      'The authorization key of Privy is not a P-256 private key as Privy provides it.',
    )
  }
}

/**
 * The library takes no fetch, so it is put where the library keeps its own. The version is pinned exactly; one that is
 * built differently is refused here rather than used without time limit and with redirects.
 */
function useFetch(privy: PrivyClient, own: typeof fetch): void {
  const { api } = privy.walletApi as unknown as { api?: { instance?: { defaults?: { fetch?: unknown } } } }
  const defaults = api?.instance?.defaults
  if (typeof defaults?.fetch !== 'function') {
    throw new AttestdError(
      'wallet-unusable',
      'This version of @privy-io/server-auth is not the one that attestd was made for.',
    )
  }
  defaults.fetch = own
}
