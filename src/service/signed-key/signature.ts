import { createHash, createHmac } from 'node:crypto'

export interface SignedParts {
  /** Service time, Unix milliseconds, as the text of the timestamp header. */
  readonly timestamp: string
  readonly method: string
  /** Path and query exactly as they stand in the request URL, beginning with `/`. */
  readonly target: string
  /** The exact body that is sent; empty for GET. */
  readonly body: string | Uint8Array
}

/** The two halves of a key: the access key travels in a header, the signing secret never does. */
export interface Credentials {
  readonly accessKey: string
  readonly signingSecret: string
}

/** The four lines that are signed (specification, Authentication 3). */
export function canonicalPayload({ timestamp, method, target, body }: SignedParts): string {
  const bodyHash = createHash('sha256').update(body).digest('hex')
  return [timestamp, method, target, bodyHash].join('\n')
}

/** Lower-case hex HMAC-SHA256 of the canonical payload under the UTF-8 bytes of the secret (Authentication 4). */
export const signatureOf = (parts: SignedParts, signingSecret: string): string =>
  createHmac('sha256', Buffer.from(signingSecret, 'utf8')).update(canonicalPayload(parts), 'utf8').digest('hex')

/** The three headers of a signed request. @param prefix `Service` in the specification; deployments brand it */
export function signedHeaders(
  prefix: string,
  credentials: Credentials,
  parts: SignedParts,
): Readonly<Record<string, string>> {
  return {
    [`${prefix}-Access-Key`]: credentials.accessKey,
    [`${prefix}-Timestamp`]: parts.timestamp,
    [`${prefix}-Signature`]: signatureOf(parts, credentials.signingSecret),
  }
}
