import { describe, expect, it } from 'vitest'
import { diagnoseFleet, diagnoseSettings } from '../../../src/app/doctor/diagnose-settings.js'
import { check, failed } from '../../../src/app/doctor/diagnosis.js'
import { stakeText } from '../../../src/app/doctor/service-text.js'
import { AttestdError } from '../../../src/core/errors.js'
import { etherOf } from '../../../src/core/ether.js'

describe('a check', () => {
  it('that returns has passed, with its finding', async () => {
    expect(await check('x', async () => 'found')).toEqual({ check: 'x', outcome: 'ok', message: 'found' })
  })

  it('that throws has failed, with the reason and the fix', async () => {
    const error = new AttestdError('stake-low', 'Too low.', { fix: 'Deposit.' })
    expect(await check('x', () => Promise.reject(error))).toEqual({
      check: 'x',
      outcome: 'failed',
      message: 'Too low.  [stake-low]',
      fix: 'Deposit.',
    })
    expect(failed('x', new TypeError('bug'))).toMatchObject({ outcome: 'failed', message: 'bug  [internal-error]' })
  })
})

const ofFleet = (queueUrl: string, secret = {}) => diagnoseFleet({ dataDir: '/data', queueUrl, ...secret })

it('a fleet without a secret is warned of where Redis is reachable beyond this machine', () => {
  for (const url of ['redis://queue.internal:6379', 'redis+sentinel://127.0.0.1,10.0.0.2/main', 'redis://0.0.0.0']) {
    expect(ofFleet(url)).toMatchObject([{ outcome: 'skipped', fix: expect.stringContaining('ATTESTD_FLEET_SECRET') }])
    expect(ofFleet(url, { fleetSecret: 'secret' })).toMatchObject([{ outcome: 'ok' }])
  }
  expect(ofFleet('redis://127.0.0.1')).toEqual([expect.not.objectContaining({ fix: expect.anything() })])
  expect(ofFleet('embedded:')).toEqual([])
})

it.each([
  [5n, 5n, true],
  [6n, 5n, true],
  [0n, 0n, true],
  [4n, 5n, false],
])('a stake of %i wei with a minimum of %i is enough: %s', (stakedWei, minStakeWei, enough) => {
  const text = () => stakeText({ stakedWei, minStakeWei })
  if (enough) expect(text()).toBe(`staked ${etherOf(stakedWei)} ether of at least ${etherOf(minStakeWei)}`)
  else expect(text).toThrow(expect.objectContaining({ reason: 'stake-low' }))
})

describe('the settings', () => {
  const of = (unknownEnv: string[], openSecretFiles: { file: string; mode: string }[] = []) =>
    diagnoseSettings({ file: null, unknownEnv, openSecretFiles }, [])

  it('pass where nothing needs a remark', () => {
    expect(of([])).toMatchObject([{ check: 'settings', outcome: 'ok' }])
  })

  it.each([
    ['ATTESTD_SIGNING_SECRETS', 'ATTESTD_SIGNING_SECRET'],
    ['ATTESTD_HTPP_PORT', 'ATTESTD_HTTP_PORT'],
    ['ATTESTD_ACCESS_KEY_FIEL', 'ATTESTD_ACCESS_KEY_FILE'],
    ['ATTESTD_ROLE', 'ATTESTD_ROLES'],
  ])('with %s ask for %s', (name, meant) => {
    expect(of([name])).toMatchObject([{ outcome: 'failed', fix: `Did you mean ${meant}?` }])
  })

  it.each(['ATTESTD_SOMETHING_ELSE_ALTOGETHER', 'ATTESTD_HTTP_PORTABLE'])('with %s suggest no similar name', (name) => {
    expect(of([name])[0]?.fix).toBe('Unset it, or find its name in config/SETTINGS.md.')
  })

  it('name what run requires to start', () => {
    expect(
      diagnoseSettings({ file: 'attestd.yaml', unknownEnv: [], openSecretFiles: [] }, ['serviceUrl']),
    ).toMatchObject([
      {
        outcome: 'failed',
        message: expect.stringContaining('ATTESTD_SERVICE_URL is not set'),
        fix: expect.stringContaining('Set ATTESTD_SERVICE_URL'),
      },
    ])
  })

  it('with several faults name each, settings before files', () => {
    const found = of(['ATTESTD_A', 'ATTESTD_B'], [{ file: '/s', mode: '0644' }])
    expect(found.map(({ check: name, outcome }) => [name, outcome])).toEqual([
      ['settings', 'failed'],
      ['settings', 'failed'],
      ['secrets', 'failed'],
    ])
    expect(found[2]).toMatchObject({ fix: 'Run chmod 600 /s.', message: expect.stringContaining('mode 0644') })
  })
})
