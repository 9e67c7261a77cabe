import { createHash, timingSafeEqual } from 'node:crypto'
import { isLoopback } from '../core/net/loopback.js'

/**
 * Who may see what.
 * - Probes and metrics (`/healthz`, `/readyz`, `/metrics`): everyone who reaches the port; they hold no asset texts.
 * - Console, `/status` and board: with a password set, whoever knows it. Without one, whoever reaches a loopback
 *   address; on any other address they are refused, since titles and settings are nobody else's business.
 * - Board actions (retry, remove, pause): only with a password set.
 * - `/control`: only with the token of this run, which only the daemon's own user can read.
 */
export interface AccessPolicy {
  /** Whether console, status and board are served at all. */
  readonly pages: 'open' | 'password' | 'refused'
  /** Whether a Host header must name this machine, which stops DNS rebinding where there is no password to stop it. */
  readonly loopbackHostOnly: boolean
}

/** Who sees the pages on an address: without a password only this machine; elsewhere nobody until one is set. */
export function accessPolicy(host: string, password: string | undefined): AccessPolicy {
  const loopback = isLoopback(host)
  const withoutPassword = loopback ? 'open' : 'refused'
  return { pages: password === undefined ? withoutPassword : 'password', loopbackHostOnly: loopback }
}

export function isLoopbackHostHeader(header: string | undefined): boolean {
  const name = header === undefined ? null : /^(\[[0-9a-f:.]+\]|[^:@/?#[\]]+)(?::\d{1,5})?$/i.exec(header)
  return name !== null && isLoopback(name[1]!)
}

/** Methods that change nothing. */
export const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Whether a page of another site made a browser send this request; browsers attach remembered passwords to those. */
export function isCrossSiteWrite(
  method: string,
  headers: Readonly<Record<string, string | string[] | undefined>>,
): boolean {
  if (SAFE_METHODS.has(method)) return false
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true
  const { origin, host } = headers
  if (origin === undefined) return false
  return !URL.canParse(String(origin)) || new URL(String(origin)).host !== host
}

/** Compares two secrets in a time that does not depend on where they differ. */
export function sameSecret(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(expected))
}

export function hasBearer(header: string | undefined, token: string): boolean {
  const given = /^bearer +(\S+)$/i.exec(header ?? '')?.[1]
  return given !== undefined && sameSecret(given, token)
}

/** User name of a Basic Authorization header; empty where there is none. */
export function basicUser(header: string | undefined): string {
  const encoded = /^basic +([A-Za-z0-9+/=]+)$/i.exec(header ?? '')?.[1] ?? ''
  return Buffer.from(encoded, 'base64').toString('utf8').split(':')[0]!
}
