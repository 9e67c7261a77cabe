import { expect, it } from 'vitest'
import { openSubmitter } from '../../../src/app/register/open-submitter.js'
import { registerFile } from '../../../src/app/register/register-file.js'
import { loadSettings } from '../../../src/config/load.js'
import { packagePath } from '../../../src/core/files.js'
import { startSandbox } from '../../support/sandbox.js'

async function bench(onTestFinished: (close: () => Promise<void>) => void, own: Readonly<Record<string, string>> = {}) {
  const sandbox = await startSandbox()
  onTestFinished(() => sandbox.close())
  const { accessKey, signingSecret } = sandbox.submitterKey
  const env = {
    ATTESTD_SERVICE_URL: sandbox.url,
    ATTESTD_ACCESS_KEY: accessKey,
    ATTESTD_SIGNING_SECRET: signingSecret,
    ...own,
  }
  const side = await openSubmitter(loadSettings({ env }).settings)
  onTestFinished(() => side.close())
  return { sandbox, side }
}

it('following is refused where a service allows its attester routes to attesters only', async ({ onTestFinished }) => {
  const { sandbox, side } = await bench(onTestFinished)
  const { id } = await sandbox.registerFile('a.png', { content: Uint8Array.of(1) })
  expect(await side.look(id)).toMatchObject({ state: 'open', scoreCount: 0, aggregate: { scoreCount: 0 } })
  expect(sandbox.world.assets.switch(id, 'closed')).toBe(true)
  expect(await side.look(id)).toEqual({ state: 'gone' })
  // The sandbox answers so for what is not the key's own, as other services may for all.
  expect(await side.look('ast_of_another')).toMatchObject({
    state: 'hidden',
    message: expect.stringContaining('no route'),
  })
})

it('a wallet signs the contributor attestation, dated by service time', async ({ onTestFinished }) => {
  const { sandbox, side } = await bench(onTestFinished, { ATTESTD_WALLET_KEY: `0x${'11'.repeat(32)}` })
  const request = { file: packagePath('samples', 'chelsea.jpg'), openForMs: 60_000, contentHash: 'sha256' } as const
  const now = await side.now()
  const { attestation, attestationUid, id } = await registerFile(side, request)
  expect(attestation?.uid).toBe(attestationUid)
  expect(Number(attestation?.message.time)).toBeGreaterThanOrEqual(Math.floor(now / 1000))
  expect(sandbox.world.assets.all()).toMatchObject([{ id, contributorAttestationUid: attestationUid }])
  const own = await registerFile(side, { ...request, attestationUid: `0x${'34'.repeat(32)}` })
  expect(own).toMatchObject({ attestation: null, attestationUid: `0x${'34'.repeat(32)}` })
})
