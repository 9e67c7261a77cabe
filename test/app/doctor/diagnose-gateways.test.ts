import { expect, it } from 'vitest'
import { diagnoseGateways } from '../../../src/app/doctor/diagnose-gateways.js'
import { loadSettings } from '../../../src/config/load.js'
import { urlAnswering } from '../../support/local-server.js'
import { startSandbox } from '../../support/sandbox.js'

const diagnose = (gateways: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  diagnoseGateways(loadSettings({ env: { ATTESTD_IPFS_GATEWAYS: gateways.join(','), ...env } }).settings)

it('doctor requests a known block from each gateway, names those that do not serve it, and fails if none does', async ({
  onTestFinished,
}) => {
  const sandbox = await startSandbox()
  onTestFinished(() => sandbox.close())
  const site = await urlAnswering((_, response) => response.end('<p>welcome'))
  const [website, host] = [new URL(site).host, new URL(sandbox.url).host]

  const found = await diagnose([
    `${sandbox.url}/ipfs/`,
    `http://ada:secret-word@${website}`,
    `${sandbox.url}/elsewhere`,
    'http://127.0.0.1:9',
    'https://gateway.example/?key=1',
  ])
  const fix = expect.stringContaining('ATTESTD_IPFS_GATEWAYS')
  const named = (outcome: string, text: string) => ({
    check: 'gateway',
    outcome,
    message: expect.stringContaining(text),
    fix,
  })
  expect(found).toEqual([
    { check: 'gateway', outcome: 'ok', message: `${host} serves blocks` },
    named('skipped', `${website} sent something else for an empty block.  [media-integrity]`),
    named('skipped', `${host} answered with status 404.  [media-unreachable]`),
    named('skipped', '127.0.0.1:9 failed: '),
    named('failed', 'gateway.example has a query'),
  ])
  expect(JSON.stringify(found)).not.toContain('secret-word')
  expect(await diagnose(['http://127.0.0.1:9'])).toEqual([named('failed', '127.0.0.1:9 failed: ')])
})

it('doctor contacts no gateway for a daemon that fetches no media', async () => {
  const split = { ATTESTD_ROLES: 'intake,submit', ATTESTD_QUEUE_URL: 'redis://h' }
  expect(await diagnose(['http://127.0.0.1:9'], split)).toMatchObject([{ outcome: 'skipped' }])
})
