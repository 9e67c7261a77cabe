import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Sandbox } from '../../src/sandbox/create-sandbox.js'
import { ManualClock } from '../support/manual-clock.js'
import { startSandbox } from '../support/sandbox.js'
import { send } from '../support/sandbox-requests.js'
import { readSigningVectors, type SigningVector } from '../support/signing-vectors.js'

const vectors = readSigningVectors()

let sandbox: Sandbox

beforeAll(async () => {
  sandbox = await startSandbox({ clock: new ManualClock(Date.UTC(2026, 0, 1)), rateLimit: null })
})
afterAll(() => sandbox.close())

/** Sends a vector as it stands, changed by `change`, with a key that has the vector's secret. */
async function sendVector(vector: SigningVector, change: Partial<SigningVector> = {}) {
  const kind = vector.target.startsWith('/api/v1/submitter') ? 'submitter' : 'attester'
  const accessKey = `ak_vector_${sandbox.control.keys().length}`
  sandbox.control.createKey({ kind, accessKey, signingSecret: vector.signingSecret })
  const { method, target, body, timestamp, signature } = { ...vector, ...change }
  const headers = {
    'Service-Access-Key': accessKey,
    'Service-Timestamp': timestamp,
    'Service-Signature': signature,
    ...(method === 'GET' ? {} : { 'content-type': 'application/json' }),
  }
  if (target.endsWith('/stream')) return streamStatus(target, headers)
  return send(sandbox.url, { method, target, headers, ...(method === 'GET' ? {} : { body }) })
}

/** A stream does not end by itself, so only its status is awaited. */
async function streamStatus(target: string, headers: Record<string, string>) {
  const stop = new AbortController()
  const response = await fetch(sandbox.url + target, { headers, signal: stop.signal })
  const body = response.status === 200 ? '' : await response.text()
  stop.abort()
  return { status: response.status, json: body === '' ? undefined : JSON.parse(body) }
}

/** What each request leads to once its signature was found right: nothing is registered, so single assets are 404. */
function statusBehindTheGate({ target }: SigningVector): number {
  if (target.startsWith('/api/v1/submitter')) return 201
  return /\/media(\?|$|\/stream$)/.test(target) ? 200 : 404
}

it('there are vectors', () => {
  expect(vectors.length).toBeGreaterThanOrEqual(8)
})

describe.each(vectors)('$name', (vector) => {
  it('is accepted as it stands', async () => {
    const reply = await sendVector(vector)
    expect(reply.json?.error?.code).toBe(statusBehindTheGate(vector) === 404 ? 'asset-not-open' : undefined)
    expect(reply.status).toBe(statusBehindTheGate(vector))
  })

  const flipped = vector.signature.replace(/^./, (digit) => (digit === '0' ? '1' : '0'))
  const changes: [string, Partial<SigningVector>][] = [
    ['another timestamp', { timestamp: String(Number(vector.timestamp) + 1) }],
    [
      'another query',
      { target: vector.target.includes('?') ? `${vector.target}0` : `${vector.target}?includeMyScore=1` },
    ],
    ['one digit of the signature', { signature: flipped }],
    ['an upper-case signature', { signature: vector.signature.toUpperCase() }],
    ['a short signature', { signature: vector.signature.slice(0, 62) }],
    ['another secret', { signingSecret: `${vector.signingSecret}x` }],
  ]
  if (vector.body !== '') changes.push(['another space in the body', { body: vector.body.replace('{', '{ ') }])

  it.each(changes)('is refused with %s', async (_name, change) => {
    const secret = change.signingSecret
    const reply = secret === undefined ? await sendVector(vector, change) : await sendVector({ ...vector, ...change })
    expect([reply.status, reply.json.error.code]).toEqual([401, 'signature-invalid'])
  })
})
