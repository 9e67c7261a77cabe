import { AttestdError } from '../core/errors.js'

/** What a run of the lab ends with after Ctrl-C. @param kept what it left behind */
export const interrupted = (kept: string | null = null): AttestdError =>
  new AttestdError('draining', kept ?? 'Interrupted; nothing was written.')
