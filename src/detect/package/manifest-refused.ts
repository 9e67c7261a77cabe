import { AttestdError } from '../../core/errors.js'

/** The error for a manifest whose package does not bear out what a field states, found only when its files were opened. */
export const manifestRefused = (id: string, field: string, why: string): AttestdError =>
  new AttestdError('manifest-invalid', `The manifest of ${id} is not accepted:\n  ${field}: ${why}`)
