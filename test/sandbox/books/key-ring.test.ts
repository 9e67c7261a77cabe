import { describe, expect, it } from 'vitest'
import { KeyRing, maskedKey } from '../../../src/sandbox/books/key-ring.js'
import { UPPER, WALLET } from './book-parts.js'

describe('KeyRing', () => {
  const newRing = () => {
    const time = { now: 50 }
    return { time, ring: new KeyRing({ now: () => time.now }) }
  }

  it('generates keys, or takes given ones; the wallet in lower case', () => {
    const { ring } = newRing()
    const made = ring.create({ kind: 'attester', label: 'a', wallet: UPPER })
    expect(made).toMatchObject({ wallet: WALLET, createdAt: 50, revokedAt: null })
    expect(made.accessKey).toMatch(/^ak_att_[0-9a-f]{24}$/)
    expect(made.signingSecret).toMatch(/^sk_[0-9a-f]{64}$/)
    const given = ring.create({ kind: 'submitter', label: '', wallet: null, accessKey: 'A', signingSecret: 'S' })
    expect(given).toMatchObject({ accessKey: 'A', signingSecret: 'S', wallet: null })
    expect([ring.find('A'), ring.byId(made.id), ring.all().length]).toEqual([given, made, 2])
    expect([ring.find('a'), ring.byId('A')]).toEqual([null, null])
  })

  it('revokes once, at the time of the first, and reports only that', () => {
    const { ring, time } = newRing()
    let heard = 0
    ring.changed.listen(() => heard++, new AbortController().signal)
    const { id, accessKey } = ring.create({ kind: 'attester', label: '', wallet: null })
    time.now = 60
    ring.revoke(id)
    time.now = 70
    expect(ring.revoke(id)?.revokedAt).toBe(60)
    expect(ring.find(accessKey)?.revokedAt).toBe(60)
    expect([heard, ring.revoke('key_none')]).toEqual([1, null])
  })

  it('shows of a key its beginning and four characters', () => {
    expect(maskedKey('ak_att_0123456789abcdef')).toBe('ak_att_…cdef')
  })
})
