import { base16, base16upper } from 'multiformats/bases/base16'
import { base32, base32upper } from 'multiformats/bases/base32'
import { base36, base36upper } from 'multiformats/bases/base36'
import { base58btc } from 'multiformats/bases/base58'
import { base64url } from 'multiformats/bases/base64'
import { CID } from 'multiformats/cid'
import { AttestdError } from '../core/errors.js'
import { cleanText } from '../core/text.js'
import { isReadableCodec, isVerifiableHash } from './ipfs/block-check.js'

/** A file (or a path that leads to one) in a content-addressed graph. */
export interface IpfsUri {
  readonly kind: 'ipfs'
  readonly cid: CID
  /** Decoded path segments below the root, none empty, none with a slash. */
  readonly path: readonly string[]
}

/** A file on a server that the asset names; contacted only behind the address guard. */
export interface WebUri {
  readonly kind: 'https'
  readonly url: URL
}

/** A parsed URI of a kind that can be fetched; every other scheme is `uri-unsupported`. */
export type MediaUri = IpfsUri | WebUri

/** Longest URI that is looked at, UTF-16 units. */
const MAX_URI_LENGTH = 4096
/** Deepest path below a root CID. */
const MAX_PATH_SEGMENTS = 64

const ANY_BASE = base32.decoder
  .or(base58btc.decoder)
  .or(base36.decoder)
  .or(base16.decoder)
  .or(base64url.decoder)
  .or(base32upper.decoder)
  .or(base36upper.decoder)
  .or(base16upper.decoder)

/** Reads an asset's URI. @throws uri-unsupported: other schemes, CIDs that cannot be verified, malformed text */
export function parseMediaUri(uri: string): MediaUri {
  if (uri.length > MAX_URI_LENGTH) throw unsupported(uri, `it is longer than ${MAX_URI_LENGTH} characters`)
  const text = uri.trim()
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1]?.toLowerCase()
  if (scheme === 'ipfs') return parseIpfs(text)
  if (scheme === 'https') return parseWeb(text)
  throw unsupported(uri, 'only ipfs:// and https:// are supported')
}

function parseIpfs(uri: string): IpfsUri {
  // `ipfs://ipfs/CID` and `ipfs:///ipfs/CID` are common mistakes with one possible meaning.
  const rest = uri
    .slice('ipfs://'.length)
    .replace(/[?#].*$/s, '')
    .replace(/^\/*(?:ipfs\/+)?/i, '')
  const [root = '', ...segments] = rest.split('/')
  return { kind: 'ipfs', cid: parseCid(root, uri), path: decodePath(segments, uri) }
}

function parseCid(text: string, uri: string): CID {
  let cid: CID
  try {
    cid = CID.parse(text, ANY_BASE)
  } catch {
    throw unsupported(uri, 'it does not name a CID')
  }
  if (!isReadableCodec(cid)) throw unsupported(uri, `codec 0x${cid.code.toString(16)} is neither raw nor dag-pb`)
  if (!isVerifiableHash(cid)) {
    throw unsupported(uri, `multihash 0x${cid.multihash.code.toString(16)} cannot be verified; sha2-256 can`)
  }
  return cid
}

function decodePath(segments: string[], uri: string): string[] {
  const path = segments.filter((segment) => segment !== '').map((segment) => decodeSegment(segment, uri))
  if (path.length > MAX_PATH_SEGMENTS) throw unsupported(uri, `its path is deeper than ${MAX_PATH_SEGMENTS}`)
  return path
}

function decodeSegment(segment: string, uri: string): string {
  let name: string
  try {
    name = decodeURIComponent(segment)
  } catch {
    throw unsupported(uri, 'its path is not valid percent-encoded UTF-8')
  }
  // Dots would be folded by URL parsers on the way to a gateway, and a slash is not possible in a name.
  if (name === '.' || name === '..' || name.includes('/') || name.includes('\u0000')) {
    throw unsupported(uri, 'its path has a segment that no file name can be')
  }
  return name
}

function parseWeb(uri: string): WebUri {
  if (!URL.canParse(uri)) throw unsupported(uri, 'it does not parse as a URL')
  const url = new URL(uri)
  url.hash = ''
  if (url.username !== '' || url.password !== '') throw unsupported('https://…', 'it holds credentials')
  return { kind: 'https', url }
}

const unsupported = (uri: string, why: string): AttestdError =>
  new AttestdError('uri-unsupported', `The URI of the asset is not supported: ${why} (${cleanText(uri, 120)}).`)
