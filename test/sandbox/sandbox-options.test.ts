import { describe, expect, it } from 'vitest'
import { systemClock as clock } from '../../src/core/clock.js'
import { checkOptions } from '../../src/sandbox/sandbox-options.js'
import { withReason } from '../support/with-reason.js'

const KEY = { accessKey: 'ak', signingSecret: 's', wallet: `0x${'a'.repeat(40)}` }

describe('options of the sandbox', () => {
  it.each<[string, unknown, unknown]>([
    ['port', 0, -1],
    ['port', 65_535, 65_536],
    ['headerPrefix', 'X-Acme2', '2Acme'],
    ['headerPrefix', 'a', 'Acme_'],
    ['headerPrefix', 'Acme', 'Acme Inc'],
    ['timestampWindowMs', 1, 0],
    ['heartbeatMs', 1, 0],
    ['streamPollMs', 1, 0.5],
    ['chunkBytes', 1024 * 1024, 1024 * 1024 + 1],
    ['chunkBytes', 1, 0],
    ['chainId', 1, 0],
    ['dataDirectory', 'x', ''],
    ['rateLimit', null, { requests: 0, windowMs: 1 }],
    ['rateLimit', { requests: 1, windowMs: 1 }, { requests: 1, windowMs: 0 }],
    ['attesterKey', KEY, { ...KEY, accessKey: 'a b' }],
    ['attesterKey', { ...KEY, accessKey: 'x'.repeat(200) }, { ...KEY, accessKey: 'x'.repeat(201) }],
    ['submitterKey', KEY, { ...KEY, signingSecret: '' }],
    ['submitterKey', KEY, { ...KEY, wallet: '0x1' }],
    ['attesterWallet', `0x${'A'.repeat(40)}`, '0xnone'],
    ['faults', { rules: [] }, { rules: [{ route: 'score', fault: 'bad-block' }] }],
    ['faults', {}, 'often'],
    ['sessionSecret', 'a session secret for tests', 'short'],
    ['sessionMs', 1, 0],
    ['challengeMs', 1, 0.5],
    ['wallets', { attester: `0x${'44'.repeat(32)}` }, { attester: '0x12' }],
    ['wallets', {}, { submitter: `0x${'ff'.repeat(32)}` }],
  ])('%s may be %j, never %j', (name, good, bad) => {
    expect(() => checkOptions({ clock, [name]: good })).not.toThrow()
    expect(() => checkOptions({ clock, [name]: bad })).toThrow(withReason('setting-invalid', name))
  })

  it('refuse two equal keys', () => {
    const both = (submitter: string) =>
      checkOptions({ clock, attesterKey: KEY, submitterKey: { ...KEY, accessKey: submitter } })
    expect(() => both('ak2')).not.toThrow()
    expect(() => both('ak')).toThrow(/must differ/)
  })

  it.each([
    ['0.0.0.0', undefined, false],
    ['0.0.0.0', false, false],
    ['0.0.0.0', true, true],
    ['127.0.0.1', undefined, true],
    ['localhost', undefined, true],
    [undefined, undefined, true],
  ])('listen on %s with allowRemote %s: %s', (host, allowRemote, isFine) => {
    const check = () => checkOptions({ clock, host, allowRemote })
    if (isFine) expect(check).not.toThrow()
    else expect(check).toThrow(/does not listen on/)
  })
})
