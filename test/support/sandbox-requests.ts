import { createHash, createHmac } from 'node:crypto'
import http from 'node:http'

/** What a submitter states of an asset, as both APIs take it. */
export const REGISTRATION = {
  title: 'a title',
  mediaContext: '',
  contentHash: `0x${'ab'.repeat(32)}`,
  uri: 'ipfs://bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy',
  contributorAttestationUid: `0x${'cd'.repeat(32)}`,
  verificationDeadline: '2099-01-01T00:00:00Z',
}

/** A key as a request needs it. */
export interface SigningKey {
  readonly accessKey: string
  readonly signingSecret: string
}

export interface RawRequest {
  readonly method: string
  /** Path and query as they go into the request line, unchanged. */
  readonly target: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}

export interface RawReply {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly body: Buffer
  /** The body as JSON, or undefined where it is none. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of many shapes
  readonly json: any
}

/** Sends exactly these bytes: no client library that would normalize a path or add headers. */
export function send(url: string, { method, target, headers = {}, body }: RawRequest): Promise<RawReply> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
    const options = { hostname, port, method, path: target, headers: { ...length, ...headers }, agent: false as const }
    const request = http.request(options, (response) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part))
      response.on('error', reject)
      response.on('end', () => {
        const bytes = Buffer.concat(parts)
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: bytes, json: parsed(bytes) })
      })
    })
    request.on('error', reject)
    request.end(body)
  })
}

export interface SignOptions {
  /** @default now */
  readonly timestamp?: number | string
  /** @default 'Service' */
  readonly prefix?: string
  /** Changes the signature after it was made. */
  readonly spoil?: (signature: string) => string
}

/** The three headers of a signed request, made by this test's own reading of the specification. */
export function signatureHeaders(
  key: SigningKey,
  { method, target, body = '' }: RawRequest,
  { timestamp = Date.now(), prefix = 'Service', spoil = (text) => text }: SignOptions = {},
): Record<string, string> {
  const digest = createHash('sha256').update(body).digest('hex')
  const payload = [String(timestamp), method, target, digest].join('\n')
  const signature = createHmac('sha256', key.signingSecret).update(payload).digest('hex')
  return {
    [`${prefix}-Access-Key`]: key.accessKey,
    [`${prefix}-Timestamp`]: String(timestamp),
    [`${prefix}-Signature`]: spoil(signature),
  }
}

/** Signs and sends; a body goes as JSON text. */
export function sendSigned(
  url: string,
  key: SigningKey,
  request: RawRequest,
  options: SignOptions = {},
): Promise<RawReply> {
  const type: Record<string, string> = request.body === undefined ? {} : { 'content-type': 'application/json' }
  const headers = { ...type, ...signatureHeaders(key, request, options), ...request.headers }
  return send(url, { ...request, headers })
}

/** Uploads a file in a form, under a bearer token. */
export async function uploadFile(
  url: string,
  {
    target,
    token,
    content,
    field = 'file',
  }: { target: string; token: string; content: string | Uint8Array; field?: string },
): Promise<Pick<RawReply, 'status' | 'json'>> {
  const form = new FormData()
  form.set(field, new Blob([Uint8Array.from(Buffer.from(content))]), 'name.png')
  // A connection of its own: one that was kept may time out while this process prepares a large body.
  const headers = { authorization: `Bearer ${token}`, connection: 'close' }
  const response = await fetch(`${url}${target}`, { method: 'POST', body: form, headers })
  return { status: response.status, json: await response.json() }
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
}
