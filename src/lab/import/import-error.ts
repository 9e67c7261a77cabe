import { AttestdError } from '../../core/errors.js'

/** The refusal of an export. */
export const unsupported = (message: string, cause?: unknown, fix?: string): AttestdError =>
  new AttestdError('import-unsupported', message, { cause, fix })
