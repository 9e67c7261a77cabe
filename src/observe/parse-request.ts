import { z } from 'zod'

/** Thrown for a request that is not of the stated shape; answered with 400. */
class BadRequest extends Error {
  readonly statusCode = 400
}

/** The query or body of a request. @throws BadRequest */
export function parseRequest<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw new BadRequest(z.prettifyError(parsed.error))
}
