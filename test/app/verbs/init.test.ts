import fs from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { initFolder } from '../../../src/app/verbs/init.js'
import { loadSettings } from '../../../src/config/load.js'
import { folderForEach } from '../../support/temporary-folder.js'
import { withReason } from '../../support/with-reason.js'

const root = folderForEach()

const LIST = { detectors: ['attestd-audio', 'attestd-image'] }
const at = (...names: string[]) => path.join(root, ...names)
const mode = async (file: string) => ((await fs.stat(file)).mode & 0o777).toString(8)

describe('a new folder', () => {
  const URL = 'https://service.example'

  it('for keys has an empty file for each secret, readable by its owner only', async () => {
    const made = await initFolder(at('new'), { ...LIST, api: 'signed-key', serviceUrl: URL })
    expect(made).toEqual({
      config: at('new', 'attestd.yaml'),
      secrets: [at('new', 'secrets', 'access_key'), at('new', 'secrets', 'signing_secret')],
      keystore: null,
    })
    for (const file of [made.config, ...made.secrets]) expect(await mode(file)).toBe('600')
    expect(await mode(at('new', 'secrets'))).toBe('700')
    for (const file of made.secrets) expect(await fs.readFile(file, 'utf8')).toBe('')
  })

  it('is accepted by the daemon once its secrets are filled in', async () => {
    const { config, secrets } = await initFolder(at('new'), { ...LIST, api: 'signed-key', serviceUrl: URL })
    await fs.writeFile(secrets[0] ?? '', 'ak_att_12345678\n')
    await fs.writeFile(secrets[1] ?? '', 'hush\n')
    const { openSecretFiles, settings } = loadSettings({ env: {}, file: config })
    expect(settings).toMatchObject({
      serviceUrl: URL,
      accessKey: 'ak_att_12345678',
      signingSecret: 'hush',
      dataDir: at('new', 'data'),
      // A folder that is copied to the models later does not count by itself.
      detectors: [{ id: 'attestd-audio' }, { id: 'attestd-image' }, { id: '*', shadow: true }],
    })
    expect(openSecretFiles).toEqual([])
  })

  it('for a wallet names the key file and the alternative keystore', async () => {
    const made = await initFolder(at('new'), { ...LIST, api: 'wallet-session', serviceUrl: URL })
    expect(made).toMatchObject({ secrets: [at('new', 'secrets', 'wallet_key')], keystore: at('new', 'keystore.json') })
    await fs.writeFile(made.secrets[0] ?? '', `0x${'5e'.repeat(32)}`)
    const { settings } = loadSettings({ env: {}, file: made.config })
    expect(settings).toMatchObject({ serviceApi: 'wallet-session', wallet: 'local', chainId: 84532 })
    expect(settings.stakeContract).toBeUndefined()
    expect(await fs.readFile(made.config, 'utf8')).toContain(made.keystore)
  })

  it('is never overwritten; existing secrets stay', async () => {
    const first = await initFolder(root, { ...LIST, api: 'signed-key', serviceUrl: URL })
    await fs.writeFile(first.secrets[0] ?? '', 'filled in')
    const again = initFolder(root, { ...LIST, api: 'signed-key', serviceUrl: 'https://other.example' })
    await expect(again).rejects.toThrow(withReason('setting-invalid', /already exists/))
    expect(await fs.readFile(first.config, 'utf8')).toContain(URL)
    await fs.rm(first.config)
    await initFolder(root, { ...LIST, api: 'signed-key', serviceUrl: URL })
    expect(await fs.readFile(first.secrets[0] ?? '', 'utf8')).toBe('filled in')
  })

  it.each(['service.example', 'https://service.example/api', 'ftp://x', ''])(
    'is not created for the URL %j',
    async (serviceUrl) => {
      const making = initFolder(at('new'), { ...LIST, api: 'signed-key', serviceUrl })
      await expect(making).rejects.toMatchObject({ reason: 'setting-invalid' })
      await expect(fs.stat(at('new'))).rejects.toMatchObject({ code: 'ENOENT' })
    },
  )

  it('gets its settings file last: an incomplete one can be created again', async () => {
    await fs.mkdir(at('new', 'secrets', 'signing_secret'), { recursive: true })
    const making = () => initFolder(at('new'), { ...LIST, api: 'signed-key', serviceUrl: URL })
    await expect(making()).rejects.toMatchObject({ reason: 'data-dir-unusable' })
    await fs.rmdir(at('new', 'secrets', 'signing_secret'))
    const { secrets } = await making()
    for (const file of secrets) expect(await fs.readFile(file, 'utf8')).toBe('')
  })

  it('is refused where its path is a file', async () => {
    await fs.writeFile(at('file'), '')
    const making = initFolder(at('file'), { ...LIST, api: 'signed-key', serviceUrl: URL })
    await expect(making).rejects.toMatchObject({ reason: 'data-dir-unusable' })
  })
})
