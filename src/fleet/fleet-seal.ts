import { createHmac, timingSafeEqual } from 'node:crypto'

/** What a code is made for; one made for another purpose or subject does not hold. */
export type SealPurpose = `job ${string}` | 'verdict' | 'order'

/** First hex characters of what a daemon shows of its secret: enough to tell two apart. */
const FINGERPRINT_CHARACTERS = 12

/**
 * Proves to the daemons of a fleet that one of them wrote what lies in Redis: HMAC-SHA-256 with a secret that they share,
 * over purpose, subject and content. It does not keep anybody from deleting, or from putting back what the fleet wrote before.
 */
export class FleetSeal {
  readonly #secret: string

  constructor(secret: string) {
    this.#secret = secret
  }

  /** The same on all daemons of the same secret; states nothing else of it. */
  get fingerprint(): string {
    return this.#digest(['fingerprint']).toString('hex').slice(0, FINGERPRINT_CHARACTERS)
  }

  /** A copy with the code in its field `seal`. What is no JSON object stays as it is, and is refused where it is read. */
  sealed(purpose: SealPurpose, subject: string, value: unknown): unknown {
    if (!isRecord(value)) return value
    return { ...value, seal: this.#codeOf(purpose, subject, value).toString('base64url') }
  }

  isOurs(purpose: SealPurpose, subject: string, value: unknown): boolean {
    if (!isRecord(value) || typeof value.seal !== 'string') return false
    try {
      const given = Buffer.from(value.seal, 'base64url')
      const right = this.#codeOf(purpose, subject, value)
      return given.length === right.length && timingSafeEqual(given, right)
    } catch {
      // Nested too deep to be written down.
      return false
    }
  }

  #codeOf(purpose: SealPurpose, subject: string, value: Readonly<Record<string, unknown>>): Buffer {
    // What has no value is not written down.
    return this.#digest([purpose, subject, { ...value, seal: undefined }])
  }

  #digest(parts: readonly unknown[]): Buffer {
    return createHmac('sha256', this.#secret)
      .update(JSON.stringify(['attestd fleet 1', ...parts], inOrder))
      .digest()
  }
}

/** Keys by their names: the text does not depend on the order in which an engine hands them out. */
function inOrder(_: string, value: unknown): unknown {
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
