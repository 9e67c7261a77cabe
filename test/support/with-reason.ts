import { expect } from 'vitest'

/** What a thrown error must be: of this reason and, where one is given, with a message that holds this text or pattern. */
export const withReason = (reason: string, message: string | RegExp = '') =>
  expect.objectContaining({
    reason,
    message: typeof message === 'string' ? expect.stringContaining(message) : expect.stringMatching(message),
  })
