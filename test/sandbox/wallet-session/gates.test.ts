import { beforeAll, describe, expect, it } from 'vitest'
import { uploadFile } from '../../support/sandbox-requests.js'
import { refusal, SessionBench } from './session-bench.js'

type Role = 'attester' | 'submitter'

const bench = SessionBench.forAll({ sessionMs: 60_000 })
const tokens = {} as Record<Role | 'expired', string>
beforeAll(async () => {
  tokens.expired = await bench.token('attester')
  bench.clock.tick(60_000)
  tokens.attester = await bench.token('attester')
  tokens.submitter = await bench.token('submitter')
})

// That every route asks for a session and a role is checked by test/conformance.

it('a missing, foreign or expired session is named, with the scheme to use', async () => {
  const ask = (headers: Record<string, string>) => bench.call('GET', '/v1/assets/open', { headers })
  for (const [authorization, text] of [
    ['Basic abc', 'A session token is required as Authorization: Bearer.'],
    ['Bearer ', 'A session token is required as Authorization: Bearer.'],
    ['Bearer a.b.c', 'The session token is not of this service.'],
    [`Bearer ${tokens.expired}`, 'The session has expired.'],
  ] as const) {
    const reply = await ask({ authorization })
    expect([...refusal(reply), reply.headers['www-authenticate']]).toEqual([401, text, 'Bearer'])
  }
})

it.each([
  ['/v1', 404],
  ['/v1/', 404],
  ['/v1/nothing', 404],
  ['/v1/assets/a/b/c', 404],
  ['/v1?x=1', 404],
  ['/health/deep', 404],
  [`/v1/assets/${'x'.repeat(3000)}`, 414],
  ['/v1/assets/%zz', 400],
  ['/%761/assets/none', 404],
  ['/v1/assets/a%2Fb', 404],
])('errors of %s, in any spelling, are of this API', async (target, expected) => {
  const { status, json } = await bench.call('GET', target, { token: tokens.attester })
  expect([status, typeof json.error]).toEqual([expected, 'string'])
})

it('errors elsewhere are unchanged', async () => {
  for (const target of ['/', '/v2', '/v10', '/healthy', '/api/v1/nothing']) {
    const { json } = await bench.call('POST', target)
    expect(json.error.code).toBe('route-unknown')
  }
})

it('no rejection repeats a token', async () => {
  const reply = await bench.call('GET', '/v1/assets/open', { token: `${tokens.attester}x` })
  expect(reply.body.toString()).not.toContain(tokens.attester.slice(0, 20))
})

describe('dashboard and upload routes of the signed-key API', () => {
  const KEYS = '/api/dashboard/api-keys'
  const create = (token: string, kind: string) => bench.call('POST', KEYS, { token, body: { kind, label: 'mine' } })

  it.each(['attester', 'submitter'] as const)('create keys of kind %s for the wallet of a session', async (kind) => {
    const { status, json } = await create(tokens[kind], kind)
    expect([status, json.key.wallet]).toEqual([200, bench[kind].address.toLowerCase()])
  })

  it('create no keys of a kind for which the wallet has no role', async () => {
    const { status, json } = await create(tokens.attester, 'submitter')
    expect([status, json.error.code]).toEqual([403, 'role-missing'])
  })

  it('revoke keys of the own wallet only', async () => {
    const mine = (await create(tokens.attester, 'attester')).json.key.id
    const revoke = (token: string) => bench.call('DELETE', `${KEYS}?id=${mine}`, { token })
    const refused = await revoke(tokens.submitter)
    expect([refused.status, refused.json.error.code]).toEqual([404, 'key-not-found'])
    expect((await revoke(tokens.attester)).json).toEqual({ id: mine, revoked: true })
    expect((await revoke(bench.sandbox.sessionToken)).status).toBe(200)
  })

  it('refuse expired and invented sessions', async () => {
    for (const token of [tokens.expired, 'a.b.c']) {
      const { status, json } = await create(token, 'attester')
      expect([status, json.error.code]).toEqual([401, 'session-invalid'])
    }
  })

  it('accept an upload of a submitter only', async () => {
    const upload = (token: string) =>
      uploadFile(bench.sandbox.url, { target: '/api/media/upload', token, content: 'x' })
    expect([(await upload(tokens.submitter)).status, (await upload(tokens.attester)).status]).toEqual([200, 403])
  })
})
