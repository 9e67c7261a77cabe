import { AttestdError } from '../../core/errors.js'

/**
 * Refuses what would be fitted or judged without the files that ran out of time: those are the long ones, not any.
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
