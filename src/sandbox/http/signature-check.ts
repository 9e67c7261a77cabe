import { createHmac } from 'node:crypto'

/** What a request signature covers. Source: signed-key-api-v1.md, Authentication, 3. */
export interface SignedRequest {
  /** The timestamp header as sent. */
  readonly timestamp: string
  readonly method: string
  /** Path and query exactly as in the request line. */
  readonly target: string
  /** Lower-case hex SHA-256 of the raw body, which is empty for GET. */
  readonly bodySha256: string
}

/**
 * The signature a request must carry: lower-case hex HMAC-SHA256. Written from the specification and kept apart from
 * the client's code on purpose, so that one mistake cannot be on both sides.
 */
export function expectedSignature(
  signingSecret: string,
  { timestamp, method, target, bodySha256 }: SignedRequest,
): string {
  const payload = `${timestamp}\n${method.toUpperCase()}\n${target}\n${bodySha256}`
  return createHmac('sha256', Buffer.from(signingSecret, 'utf8')).update(payload, 'utf8').digest('hex')
}
