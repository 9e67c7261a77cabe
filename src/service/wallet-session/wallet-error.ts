import { AttestdError, type AttestdErrorOptions } from '../../core/errors.js'
import type { Reason } from '../../core/reasons.js'

/** What a person can do about the refusals of this API, which knows no access keys. */
export const WALLET_FIXES: Readonly<Partial<Record<Reason, string>>> = {
  'service-unauthorized':
    'Check that the wallet is the one that is registered (attestd doctor names it), and ATTESTD_SERVICE_URL and ATTESTD_CHAIN_ID.',
  'service-forbidden':
    'Check role and stake of the wallet in the stake contract (attestd doctor reads both), and that ATTESTD_STAKE_CONTRACT and ATTESTD_CHAIN_ID are those of the service.',
}

/** An `AttestdError` with the fix that fits this API. */
export const walletError = (reason: Reason, message: string, options: Omit<AttestdErrorOptions, 'fix'> = {}) =>
  new AttestdError(reason, message, { ...options, fix: WALLET_FIXES[reason] })
