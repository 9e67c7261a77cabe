import { AttestdError } from '../core/errors.js'

/** What a run of the lab ends with after Ctrl-C. */
export function interrupted(): AttestdError {
  return new AttestdError('draining', 'Interrupted; nothing was written.')
}
