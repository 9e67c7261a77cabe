import { createHmac } from 'node:crypto'
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

  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const HEADER = { alg: 'HS256', typ: 'JWT' }
  const claims = { sub: address, roles: ['attester'], iat: 1000, exp: 2000 }
  const made = ({ header = HEADER as object, claimed = claims as unknown, secret = 'a secret' } = {}) => {
    const text = `${part(header)}.${part(claimed)}`
    return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
  }

  it('are JSON Web Tokens signed with the secret', () => {
    expect(issuer.read(made())).toEqual({ address, roles: ['attester'], expiresAt: 2000 })
    const [header, payload] = issuer.issue(address, ['attester']).token.split('.')
    expect(header).toBe(part(HEADER))
    expect(JSON.parse(String(Buffer.from(payload!, 'base64url')))).toMatchObject({ sub: address, roles: ['attester'] })
  })

  it.each([
    ['nothing', ''],
    ['two parts', made().split('.').slice(0, 2).join('.')],
    ['a part more', `${made()}.x`],
    ['an empty part more', `${made()}.`],
    ['another head', `x${made()}`],
    ['another algorithm', made({ header: { alg: 'HS512', typ: 'JWT' } })],
    ['no need of a signature', `${part({ alg: 'none', typ: 'JWT' })}.${part(claims)}.`],
    ['other claims', made().replace(/\.([^.]+)\./, (_, text: string) => `.${text}A.`)],
    ['half a signature', made().slice(0, -4)],
    ['no signature', made().replace(/[^.]+$/, '')],
    ['the signature of another secret', made({ secret: 'another secret' })],
    ['no claims', made({ claimed: [] })],
    ['no end', made({ claimed: { ...claims, exp: undefined } })],
    ['an unknown role', made({ claimed: { ...claims, roles: ['owner'] } })],
    ['an address in upper case', made({ claimed: { ...claims, sub: '0xABCDEF' } })],
  ])('are not read from a token with %s', (_, token) => {
    expect(issuer.read(token)).toBeNull()
  })
})
