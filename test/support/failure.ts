import { expect } from 'vitest'
import type { AttestdError } from '../../src/core/errors.js'

/** What work fails with; work that does not fail is a failure of the test. */
export function failure(work: Promise<unknown>): Promise<AttestdError> {
  return work.then(
    (value) => expect.unreachable(`did not fail, but gave ${JSON.stringify(value)}`),
    (error: AttestdError) => error,
  )
}
