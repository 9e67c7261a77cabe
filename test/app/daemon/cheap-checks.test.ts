import { describe, expect, it } from 'vitest'
import { cheapChecks } from '../../../src/app/daemon/cheap-checks.js'
import { loadSettings } from '../../../src/config/load.js'
import { writeTinyPackage } from '../../support/detector-package.js'
import { folderForTest } from '../../support/temporary-folder.js'

describe('an early end of the start', () => {
  const settingsOf = (change: Record<string, string>) =>
    loadSettings({ env: { ATTESTD_HTTP_HOST: '127.0.0.1', ATTESTD_HTTP_PORT: '0', ...change } }).settings

  it('is caused by a missing detector, where this process analyzes', async () => {
    const models = await folderForTest()
    await writeTinyPackage(models)
    const of = (detectors: string, roles: string) =>
      cheapChecks(
        settingsOf({
          ATTESTD_MODELS_DIR: models,
          ATTESTD_DETECTORS: detectors,
          ATTESTD_ROLES: roles,
          ATTESTD_QUEUE_URL: 'redis://h',
        }),
      )
    await of('tiny-image', 'analyze')
    await of('absent', 'submit')
    await expect(of('absent', 'analyze')).rejects.toMatchObject({ reason: 'setting-invalid' })
  })

  it('leaves the port free', async () => {
    const settings = settingsOf({ ATTESTD_ROLES: 'submit', ATTESTD_QUEUE_URL: 'redis://h' })
    await cheapChecks(settings)
    await cheapChecks(settings)
  })
})
