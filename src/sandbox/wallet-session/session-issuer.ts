import { createHmac } from 'node:crypto'
import type { Address } from 'viem'
import { z } from 'zod'
import { jsonIn } from '../../core/text.js'
import { sameSecret } from '../../observe/http-access.js'
import { type KeyKind, keyKindSchema } from '../../service/signed-key/schemas.js'

/** Who a session token speaks for. */
export interface WalletSession {
  /** Lower case. */
  readonly address: Address
  readonly roles: readonly KeyKind[]
  /** Unix seconds of service time. */
  readonly expiresAt: number
}

const HEADER = part({ alg: 'HS256', typ: 'JWT' })

const ClaimsSchema = z.object({
  sub: z.templateLiteral(['0x', z.string().regex(/^[0-9a-f]{40}$/)]),
  roles: z.array(keyKindSchema),
  iat: z.int(),
  exp: z.int(),
})

/** Makes session tokens and reads them back: JSON Web Tokens (RFC 7519) signed with HMAC-SHA256; nothing is kept. */
export class SessionIssuer {
  readonly #secret: Buffer
  readonly #lifetimeMs: number
  readonly #now: () => number

  constructor(options: { secret: string; lifetimeMs: number; now: () => number }) {
    this.#secret = Buffer.from(options.secret, 'utf8')
    this.#lifetimeMs = options.lifetimeMs
    this.#now = options.now
  }

  /** @returns the token with what it states; the lifetime is rounded up to whole seconds */
  issue(address: Address, roles: readonly KeyKind[]): { token: string; session: WalletSession } {
    const now = this.#now()
    const session = { address, roles, expiresAt: Math.ceil((now + this.#lifetimeMs) / 1000) }
    const claims = part({ sub: address, roles, iat: Math.floor(now / 1000), exp: session.expiresAt })
    const signed = `${HEADER}.${claims}`
    return { token: `${signed}.${this.#signatureOf(signed)}`, session }
  }

  /** What a token states, expired or not; null where it is no session, or was not made with this secret. */
  read(token: string): WalletSession | null {
    const [header, claims, signature, ...rest] = token.split('.')
    if (header !== HEADER || claims === undefined || signature === undefined || rest.length > 0) return null
    if (!sameSecret(signature, this.#signatureOf(`${header}.${claims}`))) return null
    // The secret may be another service's too, whose tokens state other things.
    const parsed = ClaimsSchema.safeParse(jsonIn(Buffer.from(claims, 'base64url').toString('utf8')))
    return parsed.success ? { address: parsed.data.sub, roles: parsed.data.roles, expiresAt: parsed.data.exp } : null
  }

  hasExpired(session: WalletSession): boolean {
    return session.expiresAt * 1000 <= this.#now()
  }

  #signatureOf(text: string): string {
    return createHmac('sha256', this.#secret).update(text, 'utf8').digest('base64url')
  }
}

function part(value: object): string {
  return Buffer.from(JSON.stringify(value), 'utf8').toString('base64url')
}
