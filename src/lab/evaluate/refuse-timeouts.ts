import { AttestdError } from '../../core/errors.js'

/**
 * Refuses to fit or judge without the files that ran out of time, since the long ones would be missing.
 * @param timedOut how many of the `rows` files did
 * @throws AttestdError detector-timeout
 */
export function refuseTimeouts(timedOut: number, rows: number): void {
  if (timedOut === 0) return
  throw new AttestdError(
    'detector-timeout',
    `${timedOut} of ${rows} files ran out of time, and figures without them would not be those of all files. Nothing was changed.`,
    {
      fix: 'Set --detector-timeout-ms higher or --detector-workers lower and run it again, or leave such files out of the data.',
    },
  )
}
