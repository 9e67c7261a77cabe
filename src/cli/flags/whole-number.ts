import { AttestdError } from '../../core/errors.js'

/**
 * A whole number of a flag, in digits alone; both bounds are within.
 * @throws AttestdError setting-invalid
 */
export function wholeNumberFlag(flag: string, text: string, { from = 0, to }: { from?: number; to?: number } = {}) {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  if (value >= from && value <= (to ?? value)) return value
  const bounds = `${from > 0 || to !== undefined ? ` from ${from}` : ''}${to === undefined ? '' : ` to ${to}`}`
  throw new AttestdError('setting-invalid', `${flag} takes a whole number${bounds}, got ${JSON.stringify(text)}.`)
}
