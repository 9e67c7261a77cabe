import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import { mirrored } from '../../support/privy-stub.js'
import { NOW, refusal, SessionBench, STRANGER } from './session-bench.js'

// The rules of the service's document are checked by test/conformance; here is what the sandbox adds to them.

const MINUTE = 60_000

const WRONG = [401, 'The signature is not that of the challenge by its address.']

const bench = SessionBench.forAll()

describe('a challenge', () => {
  it('is a Sign-In with Ethereum text of this service, address, chain and time', async () => {
    const { status, json, headers } = await bench.challenge(bench.attester.address.toLowerCase())
    const { host } = new URL(bench.sandbox.url)
    expect([status, headers['cache-control']]).toEqual([200, 'no-store'])
    expect(json.expiresAt).toBe(Math.floor((bench.clock.now() + 5 * MINUTE) / 1000))
    expect(json.message.split('\n')).toEqual([
      `${host} wants you to sign in with your Ethereum account:`,
      bench.attester.address,
      '',
      'Open a session of the media verification service. This signature moves nothing and costs nothing.',
      '',
      `URI: http://${host}`,
      'Version: 1',
      'Chain ID: 84532',
      `Nonce: ${json.nonce}`,
      `Issued At: ${new Date(bench.clock.now()).toISOString()}`,
      `Expiration Time: ${new Date(bench.clock.now() + 5 * MINUTE).toISOString()}`,
    ])
    expect(json.nonce).toMatch(/^[0-9a-f]{32}$/)
  })

  it('names the requested host', async () => {
    const target = `/v1/auth/challenge?address=${STRANGER.address}`
    const { json } = await bench.call('GET', target, { headers: { host: 'sandbox:8080' } })
    expect(json.message).toMatch(/^sandbox:8080 wants you/)
  })

  it.each(['a b', 'x'.repeat(300), 'evil\\x'])('is refused to the host %j', async (host) => {
    const target = `/v1/auth/challenge?address=${STRANGER.address}`
    const reply = await bench.call('GET', target, { headers: { host } })
    expect(refusal(reply)).toEqual([400, expect.stringContaining('host')])
  })
})

it.each<[string, (message: string) => unknown]>([
  ['whose s is high', async (message) => mirrored(await bench.attester.signMessage({ message }))],
  ['with r and s of nothing', () => `0x${'00'.repeat(64)}1b`],
  ['with a v that is none', () => `0x${'11'.repeat(64)}99`],
])('a session takes no signature %s', async (_name, sign) => {
  const { message, nonce } = (await bench.challenge(bench.attester.address)).json
  expect(refusal(await bench.session(nonce, String(await sign(message))))).toEqual(WRONG)
})

it('a session lasts for an hour, keeps the roles of its creation, and is stored by no cache', async () => {
  const wallet = privateKeyToAccount(`0x${'22'.repeat(32)}`)
  bench.sandbox.registry.setRoles(wallet.address, { attester: true, submitter: false })
  const { headers, json } = await bench.signIn(wallet)
  expect(headers['cache-control']).toBe('no-store')
  expect(json.expiresAt).toBe((NOW + 60 * MINUTE) / 1000)
  bench.sandbox.registry.setRoles(wallet.address, { attester: false, submitter: false })
  expect((await bench.call('GET', '/v1/assets/open', { token: json.token })).status).toBe(200)
  expect((await bench.signIn(wallet)).status).toBe(403)
})
