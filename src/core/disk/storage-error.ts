import { AttestdError, errorText } from '../errors.js'

/** Words of Node, PostgreSQL and Redis for a disk or quota without room. */
const FULL = /ENOSPC|EDQUOT|no space left on device|disk quota exceeded/i

export const isDiskFull = (error: unknown): boolean => FULL.test(errorText(error))

/** The error for a folder or file that cannot be written: `disk-full` where that is why, else `data-dir-unusable`. */
export const storageError = (message: string, cause: unknown): AttestdError =>
  new AttestdError(isDiskFull(cause) ? 'disk-full' : 'data-dir-unusable', message, { cause })
