import type { z } from 'zod'
import { AttestdError } from '../core/errors.js'
import { issueText } from './issue-text.js'
import { assetIdSchema } from './wire-fields.js'

/** What is about to be sent, of the stated shape. @throws AttestdError request-invalid */
export function checked<Shape extends z.ZodType>(shape: Shape, value: unknown): z.output<Shape> {
  const parsed = shape.safeParse(value)
  if (parsed.success) return parsed.data
  throw new AttestdError('request-invalid', `Not sent: ${issueText(parsed.error)}`)
}

/** An asset id as one path segment, percent-encoded once. @throws AttestdError request-invalid for text that cannot stand there */
export function encodeId(id: string): string {
  return encodeURIComponent(checked(assetIdSchema, id))
}

/** Whether a request was answered with one of these statuses. */
export function isStatus(error: unknown, ...statuses: number[]): error is AttestdError {
  return error instanceof AttestdError && statuses.includes(Number(error.facts.status))
}
