import { AttestdError } from '../../core/errors.js'

/** The refusal of an export. */
export function unsupported(message: string, cause?: unknown, fix?: string): AttestdError {
  return new AttestdError('import-unsupported', message, { cause, fix })
}
