import { AttestdError } from '../../core/errors.js'

/** The refusal of an export. */
export const unsupported = (message: string, fix?: string, cause?: unknown): AttestdError =>
  new AttestdError('import-unsupported', message, { cause, fix })
