import type { z } from 'zod'

/** The first thing that a schema found wrong, with where it stands; never the value itself. */
export function issueText(error: z.ZodError): string {
  const issue = error.issues[0]
  return `${issue?.path.join('.') || 'the value'}: ${issue?.message}`
}
