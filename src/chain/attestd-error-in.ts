import { AttestdError } from '../core/errors.js'

/** The `AttestdError` that viem wrapped on its way, or null where there is none. */
export function attestdErrorIn(error: unknown): AttestdError | null {
  for (let each = error; each instanceof Error; each = each.cause) if (each instanceof AttestdError) return each
  return null
}
