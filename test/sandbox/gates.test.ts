import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { Sandbox } from '../../src/sandbox/create-sandbox.js'
import { ManualClock } from '../support/manual-clock.js'
import { startSandbox } from '../support/sandbox.js'
import { type RawReply, type SigningKey, sendSigned } from '../support/sandbox-requests.js'

const NOW = Date.UTC(2026, 0, 1)

/** That every route has these gates is checked by test/conformance. */
const LIST = { method: 'GET', target: '/api/v1/attester/media' }
const PASSED = [200, undefined]

let sandbox: Sandbox

beforeAll(async () => {
  sandbox = await startSandbox({
    clock: new ManualClock(NOW),
    rateLimit: { requests: 3, windowMs: 6_000 },
    stake: { stakedWei: 10n ** 24n, minStakeWei: 10n ** 24n },
  })
})
afterAll(() => sandbox.close())
beforeEach(() => sandbox.control.reset())

const newKey = () => sandbox.control.createKey({ kind: 'attester' })

/** Signs at service time. */
async function call(
  options: Parameters<typeof sendSigned>[3] = {},
  key: SigningKey = newKey(),
): Promise<[number, string | undefined]> {
  return outcome(await sendSigned(sandbox.url, key, LIST, { timestamp: NOW, ...options }))
}

function outcome(reply: RawReply): [number, string | undefined] {
  return [reply.status, reply.json?.error?.code]
}

describe('a signed request', () => {
  it.each([
    ['at the far end of the window', { timestamp: NOW - 30_000 }],
    ['at the near end of the window', { timestamp: NOW + 30_000 }],
  ])('passes %s', async (_name, options) => {
    expect(await call(options)).toEqual(PASSED)
  })

  it.each([
    ['too old', { timestamp: NOW - 30_001 }, 'timestamp-outside-window'],
    ['too new', { timestamp: NOW + 30_001 }, 'timestamp-outside-window'],
    ['in seconds', { timestamp: NOW / 1000 }, 'timestamp-outside-window'],
    ['ISO', { timestamp: new Date(NOW).toISOString() }, 'timestamp-invalid'],
    ['signed', { timestamp: `+${NOW}` }, 'timestamp-invalid'],
    ['fractional', { timestamp: `${NOW}.0` }, 'timestamp-invalid'],
    ['hexadecimal', { timestamp: '0x1' }, 'timestamp-invalid'],
  ])('refuses a timestamp that is %s', async (_name, options, code) => {
    expect(await call(options)).toEqual([401, code])
  })

  it('refuses a wallet that is one wei short, and only that wallet', async () => {
    const key = newKey()
    sandbox.control.setStake({ wallet: key.wallet ?? '', stakedWei: 10n ** 24n - 1n })
    expect(await call({}, key)).toEqual([403, 'stake-below-minimum'])
    expect(await call()).toEqual(PASSED)
    sandbox.control.setStake({ wallet: key.wallet ?? '', stakedWei: 10n ** 24n })
    expect(await call({}, key)).toEqual(PASSED)
  })

  it('limits the rate of a key, states when to come back, and leaves other keys alone', async () => {
    const key = newKey()
    for (let sent = 0; sent < 3; sent++) expect(await call({}, key)).toEqual(PASSED)
    const reply = await sendSigned(sandbox.url, key, LIST, { timestamp: NOW })
    expect([...outcome(reply), reply.headers['retry-after']]).toEqual([429, 'rate-limited', '2'])
    expect(await call()).toEqual(PASSED)
  })

  it('does not count requests with a wrong signature', async () => {
    const key = newKey()
    const wrong = { accessKey: key.accessKey, signingSecret: 'wrong' }
    for (let sent = 0; sent < 5; sent++) await call({}, wrong)
    expect(await call({}, key)).toEqual(PASSED)
  })
})

it('uses the header prefix and the window of the deployment', async () => {
  const branded = await startSandbox({ clock: new ManualClock(NOW), headerPrefix: 'Acme', timestampWindowMs: 1_000 })
  onTestFinished(() => branded.close())
  const at = (timestamp: number, prefix: string) =>
    sendSigned(branded.url, branded.attesterKey, LIST, { timestamp, prefix }).then(outcome)
  expect(await at(NOW - 1_000, 'Acme')).toEqual([200, undefined])
  expect(await at(NOW, 'X-Acme')).toEqual([200, undefined])
  expect(await at(NOW - 1_001, 'Acme')).toEqual([401, 'timestamp-outside-window'])
  expect(await at(NOW, 'Service')).toEqual([401, 'credentials-missing'])
})
