/** Every code of an error body with the status it comes with. */
export const REFUSALS = {
  'credentials-missing': 401,
  'key-unknown': 401,
  'key-revoked': 401,
  'timestamp-invalid': 401,
  'timestamp-outside-window': 401,
  'signature-invalid': 401,
  'session-invalid': 401,
  'challenge-invalid': 401,
  'key-kind-wrong': 403,
  'wallet-not-linked': 403,
  'stake-below-minimum': 403,
  'attester-address-mismatch': 403,
  'role-missing': 403,
  'owner-mismatch': 403,
  'loopback-only': 403,
  'request-invalid': 400,
  'body-invalid': 400,
  'cid-invalid': 400,
  'format-missing': 400,
  'attestation-invalid': 400,
  'attestation-outside-window': 400,
  'route-unknown': 404,
  'asset-not-open': 404,
  'asset-unknown': 404,
  'key-not-found': 404,
  'content-not-found': 404,
  'score-conflict': 409,
  'asset-closed': 410,
  'body-too-large': 413,
  'file-too-large': 413,
  'media-type-unsupported': 415,
  'rate-limited': 429,
  'fault-injected': 500,
  'internal-error': 500,
  'chain-unavailable': 503,
  'wallet-unavailable': 503,
} as const satisfies Record<string, number>

/** What `error.code` can be on the signed-key API; the wallet-session API sends status and message alone. */
export type RefusalCode = keyof typeof REFUSALS

/** A request that the service turns down: status, code, a sentence, and headers such as Retry-After. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: RefusalCode
  readonly statusCode: number
  readonly headers: Readonly<Record<string, string>>

  constructor(
    code: RefusalCode,
    message: string,
    options: { status?: number; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(message)
    this.code = code
    this.statusCode = options.status ?? REFUSALS[code]
    this.headers = options.headers ?? {}
  }
}
