import os from 'node:os'
import { AttestdError } from '../../core/errors.js'
import type { StopCause } from '../detector-events.js'

/**
 * Whether SIGKILL ended a process, which no file makes a process send itself: where it was not this daemon, it was the
 * kernel for want of memory, or a person. A cage tells it by the exit code, as a shell does.
 */
export const isKilled = (code: number | null, signal: string | null): boolean =>
  signal === 'SIGKILL' || code === 128 + os.constants.signals.SIGKILL

/** The error of a job whose process ended without this daemon: being killed states nothing about the file. */
export const endedError = (cause: StopCause, facts: AttestdError['facts']): AttestdError =>
  new AttestdError(cause === 'killed' ? 'detector-killed' : 'detector-crashed', undefined, { facts })

/** Whether a parser at work is to blame for the end of its process: not where the whole job ran out of time, which may just be slow. */
export const isOfParser = (cause: StopCause | null): boolean => cause === 'memory' || cause === 'crashed'

/** The error of a job whose parser computed for too long without a sign. */
export const parserTimeout = (): AttestdError => overParser(new AttestdError('detector-timeout'))

/** The error of a job whose file cost its parser the process. */
export function overParser(cause: AttestdError): AttestdError {
  const words = 'Reading the file took its parser more time or memory than the limits allow.'
  return new AttestdError('media-too-complex', words, { cause, facts: cause.facts })
}
