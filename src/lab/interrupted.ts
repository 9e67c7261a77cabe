import { AttestdError } from '../core/errors.js'

/** What a run of the lab ends with after Ctrl-C. @param kept what it left behind */
export function interrupted(kept: string | null = null): AttestdError {
  return new AttestdError('draining', kept ?? 'Interrupted; nothing was written.')
}
