import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { canonicalPayload, signatureOf, signedHeaders } from '../../../src/service/signed-key/signature.js'

/** A request with its signature, computed outside the project from the specification. */
interface SigningVector {
  readonly name: string
  readonly signingSecret: string
  readonly timestamp: string
  readonly method: string
  readonly target: string
  readonly body: string
  readonly bodySha256: string
  readonly canonicalPayload: string
  readonly signature: string
}

const file = new URL('../../vectors/signing-vectors.json', import.meta.url)
const { vectors } = JSON.parse(readFileSync(file, 'utf8')) as { vectors: SigningVector[] }
const unread = new Set(vectors.map((vector) => vector.name))

describe('signing vectors', () => {
  it.each(vectors)('$name', (vector) => {
    const { timestamp, method, target, body } = vector
    expect(canonicalPayload({ timestamp, method, target, body })).toBe(vector.canonicalPayload)
    expect(canonicalPayload({ timestamp, method, target, body }).endsWith(vector.bodySha256)).toBe(true)
    expect(signatureOf({ timestamp, method, target, body }, vector.signingSecret)).toBe(vector.signature)
    unread.delete(vector.name)
  })

  it('were all read, and the number is as delivered', () => {
    expect([...unread]).toEqual([])
    expect(vectors).toHaveLength(8)
  })
})

it('sets the three headers under the prefix and leaves the secret out', () => {
  const parts = { timestamp: '1767225600000', method: 'GET', target: '/api/v1/attester/media', body: '' }
  const headers = signedHeaders('Brand', { accessKey: 'ak_att_1', signingSecret: 's3cr3t' }, parts)
  expect(headers).toEqual({
    'Brand-Access-Key': 'ak_att_1',
    'Brand-Timestamp': '1767225600000',
    'Brand-Signature': '6bf93fa25de782021171daefbb306b7458be0125e3cf193427fd7927cd61d6b8',
  })
})
