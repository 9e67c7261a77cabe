import { describe, expect, it } from 'vitest'
import { SessionIssuer } from '../../../src/sandbox/wallet-session/session-issuer.js'

const addressOf = (nth: number) => `0x${nth.toString(16).padStart(40, '0')}` as const

describe('sessions', () => {
  const time = { now: 1_000_400 }
  const issuer = new SessionIssuer({ secret: 'a secret', lifetimeMs: 10_300, now: () => time.now })
  const address = addressOf(5)

  it('last for whole seconds, rounded up, and not a millisecond more', () => {
    const { session, token } = issuer.issue(address, ['attester'])
    expect(session.expiresAt).toBe(1011)
    expect(issuer.read(token)).toEqual(session)
    time.now = 1_010_999
    expect(issuer.hasExpired(session)).toBe(false)
    time.now = 1_011_000
    expect(issuer.hasExpired(session)).toBe(true)
    expect(issuer.read(token)).toEqual(session)
  })

  it.each([
    ['nothing', () => ''],
    ['two parts', (token: string) => token.split('.').slice(0, 2).join('.')],
    ['a part more', (token: string) => `${token}.`],
    ['another head', (token: string) => `x${token}`],
    ['other claims', (token: string) => token.replace(/\.([^.]+)\./, (_, claims: string) => `.${claims}A.`)],
    ['half a signature', (token: string) => token.slice(0, -4)],
    ['no signature', (token: string) => token.replace(/[^.]+$/, '')],
  ])('are not read from a token with %s', (_, spoil) => {
    expect(issuer.read(spoil(issuer.issue(address, []).token))).toBeNull()
  })

  it('are not read from a token of the same secret that says something else', () => {
    const other = new SessionIssuer({ secret: 'a secret', lifetimeMs: 1, now: () => 0 })
    expect(issuer.read(other.issue('0xABCDEF' as never, []).token)).toBeNull()
    expect(issuer.read(other.issue(address, ['owner' as never]).token)).toBeNull()
    expect(issuer.read(other.issue(address, []).token)).toMatchObject({ address, roles: [] })
  })
})
