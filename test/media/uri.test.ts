import { base16 } from 'multiformats/bases/base16'
import { base36 } from 'multiformats/bases/base36'
import { CID } from 'multiformats/cid'
import * as Digest from 'multiformats/hashes/digest'
import { describe, expect, it } from 'vitest'
import { parseMediaUri } from '../../src/media/uri.js'
import { withReason } from '../support/with-reason.js'

const v0 = 'QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWAYZDa'
const v1 = CID.parse(v0).toV1().toString()
const sha512 = CID.createV1(0x55, Digest.create(0x13, new Uint8Array(64))).toString()
const truncated = CID.createV1(0x55, Digest.create(0x12, new Uint8Array(20))).toString()
const longInline = CID.createV1(0x55, Digest.create(0, new Uint8Array(129))).toString()
const cbor = CID.createV1(0x71, CID.parse(v0).multihash).toString()

describe('parseMediaUri', () => {
  const good: [uri: string, cid: string, path: string[]][] = [
    [`ipfs://${v0}`, v0, []],
    [`ipfs://${v1}`, v1, []],
    [`IPFS://${v1}`, v1, []],
    [` ipfs://${v1}\n`, v1, []],
    [`ipfs://${v1.toUpperCase()}`, v1, []],
    [`ipfs://${CID.parse(v1).toString(base36)}`, v1, []],
    [`ipfs://${CID.parse(v1).toString(base16)}`, v1, []],
    [`ipfs://${v1}/`, v1, []],
    [`ipfs://${v1}/a//b/`, v1, ['a', 'b']],
    [`ipfs://${v1}/a%20b/%C3%BC.png`, v1, ['a b', 'ü.png']],
    [`ipfs://${v1}/a%3Fb%23c`, v1, ['a?b#c']],
    [`ipfs://${v1}/a?filename=b/c#d/e`, v1, ['a']],
    [`ipfs://${v1}?x=1`, v1, []],
    [`ipfs://${v1}#x`, v1, []],
    [`ipfs://ipfs/${v0}/a`, v0, ['a']],
    [`ipfs:///ipfs/${v1}`, v1, []],
  ]
  it.each(good)('reads %s', (uri, cid, path) => {
    const parsed = parseMediaUri(uri)
    expect(parsed.kind === 'ipfs' && [parsed.cid.toString(), parsed.path]).toEqual([cid, path])
  })

  const bad: [uri: string, message: RegExp][] = [
    ['', /only ipfs/],
    ['ipfs://', /does not name a CID/],
    ['ipfs://not-a-cid', /does not name a CID/],
    [`ipfs://${v1}x!`, /does not name a CID/],
    [v1, /only ipfs/],
    [`/ipfs/${v1}`, /only ipfs/],
    [`ipns://${v1}`, /only ipfs/],
    ['data:image/png;base64,AAAA', /only ipfs/],
    ['file:///etc/passwd', /only ipfs/],
    ['ftp://example.com/a', /only ipfs/],
    ['http://example.com/a', /only ipfs:\/\/ and https:\/\/ are supported/],
    ['https://', /does not parse/],
    ['https://exa mple.com/', /does not parse/],
    ['https://user:pass@example.com/', /credentials/],
    [`ipfs://${sha512}`, /multihash 0x13 cannot be verified/],
    [`ipfs://${truncated}`, /multihash 0x12 cannot be verified/],
    [`ipfs://${longInline}`, /multihash 0x0 cannot be verified/],
    [`ipfs://${cbor}`, /codec 0x71/],
    [`ipfs://${v1}/%zz`, /percent-encoded/],
    [`ipfs://${v1}/%ff`, /percent-encoded/],
    [`ipfs://${v1}/a/../b`, /no file name/],
    [`ipfs://${v1}/%2e%2e/b`, /no file name/],
    [`ipfs://${v1}/a%2Fb`, /no file name/],
    [`ipfs://${v1}/a%00b`, /no file name/],
    [`ipfs://${v1}${'/a'.repeat(65)}`, /deeper than 64/],
    [`ipfs://${v1}/${'a'.repeat(5000)}`, /longer than 4096/],
  ]
  it.each(bad)('refuses %s', (uri, message) => {
    expect(() => parseMediaUri(uri)).toThrow(withReason('uri-unsupported', message))
  })

  it('reads https', () => {
    expect(parseMediaUri('https://example.com/a?b=c#d')).toEqual({
      kind: 'https',
      url: new URL('https://example.com/a?b=c'),
    })
  })

  it('does not repeat credentials in its refusal', () => {
    expect(() => parseMediaUri('https://user:secret@example.com/')).toThrow(/^(?!.*secret)/)
  })
})
