import { AttestdError } from '../../core/errors.js'

/** The refusal of an export. */
export const unsupported = (message: string, fix?: string, cause?: unknown): AttestdError =>
  new AttestdError('import-unsupported', message, { cause, fix })

/** What to do where the package would need steps that a manifest cannot state. */
export const SERVE_IT =
  'Serve the model with its own preprocessing, and write a package with the runtime remote-file (models/README.md).'
