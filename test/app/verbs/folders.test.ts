import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { dataPaths, openDataDir } from '../../../src/app/data-dir.js'
import { findProgram } from '../../../src/app/open/find-program.js'
import { embeddedWalletOptions } from '../../../src/app/verbs/embedded-wallet.js'
import { initFolder } from '../../../src/app/verbs/init.js'
import { surveyModels } from '../../../src/app/verbs/models.js'
import { writeSandboxSecrets } from '../../../src/app/verbs/sandbox-secrets.js'
import { loadSettings } from '../../../src/config/load.js'
import type { Sandbox } from '../../../src/sandbox/create-sandbox.js'
import { tinyManifest, writeTinyPackage } from '../../support/detector-package.js'

let root: string
beforeEach(async () => {
  root = await fs.realpath(await fs.mkdtemp(path.join(os.tmpdir(), 'attestd-verbs-')))
})
afterEach(() => fs.rm(root, { recursive: true }))

const at = (...names: string[]) => path.join(root, ...names)
const mode = async (file: string) => ((await fs.stat(file)).mode & 0o777).toString(8)

describe('a new folder', () => {
  const URL = 'https://service.example'

  it('for keys has a file for each secret, empty, for its owner alone', async () => {
    const made = await initFolder(at('new'), { api: 'signed-key', serviceUrl: URL })
    expect(made).toEqual({
      config: at('new', 'attestd.yaml'),
      secrets: [at('new', 'secrets', 'access_key'), at('new', 'secrets', 'signing_secret')],
      keystore: null,
    })
    for (const file of [made.config, ...made.secrets]) expect(await mode(file)).toBe('600')
    expect(await mode(at('new', 'secrets'))).toBe('700')
    for (const file of made.secrets) expect(await fs.readFile(file, 'utf8')).toBe('')
  })

  it('is read by the daemon once its secrets are filled in', async () => {
    const { config, secrets } = await initFolder(at('new'), { api: 'signed-key', serviceUrl: URL })
    await fs.writeFile(secrets[0] ?? '', 'ak_att_12345678\n')
    await fs.writeFile(secrets[1] ?? '', 'hush\n')
    const { openSecretFiles, settings } = loadSettings({ env: {}, file: config })
    expect(settings).toMatchObject({
      serviceUrl: URL,
      accessKey: 'ak_att_12345678',
      signingSecret: 'hush',
      dataDir: at('new', 'data'),
    })
    expect(openSecretFiles).toEqual([])
  })

  it('for a wallet names the key file and the keystore that it could be instead', async () => {
    const made = await initFolder(at('new'), { api: 'wallet-session', serviceUrl: URL })
    expect(made).toMatchObject({ secrets: [at('new', 'secrets', 'wallet_key')], keystore: at('new', 'keystore.json') })
    await fs.writeFile(made.secrets[0] ?? '', `0x${'5e'.repeat(32)}`)
    const { settings } = loadSettings({ env: {}, file: made.config })
    expect(settings).toMatchObject({ serviceApi: 'wallet-session', wallet: 'local', chainId: 84532 })
    expect(settings.stakeContract).toBeUndefined()
    expect(await fs.readFile(made.config, 'utf8')).toContain(made.keystore)
  })

  it('is never written over; secrets that are there stay', async () => {
    const first = await initFolder(root, { api: 'signed-key', serviceUrl: URL })
    await fs.writeFile(first.secrets[0] ?? '', 'filled in')
    const again = initFolder(root, { api: 'signed-key', serviceUrl: 'https://other.example' })
    await expect(again).rejects.toMatchObject({ reason: 'setting-invalid', message: /already exists/ })
    expect(await fs.readFile(first.config, 'utf8')).toContain(URL)
    await fs.rm(first.config)
    await initFolder(root, { api: 'signed-key', serviceUrl: URL })
    expect(await fs.readFile(first.secrets[0] ?? '', 'utf8')).toBe('filled in')
  })

  it.each(['service.example', 'https://service.example/api', 'ftp://x', ''])(
    'is not made for the URL %j',
    async (serviceUrl) => {
      const making = initFolder(at('new'), { api: 'signed-key', serviceUrl })
      await expect(making).rejects.toMatchObject({ reason: 'setting-invalid' })
      await expect(fs.stat(at('new'))).rejects.toMatchObject({ code: 'ENOENT' })
    },
  )

  it('where a file stands is refused', async () => {
    await fs.writeFile(at('file'), '')
    const making = initFolder(at('file'), { api: 'signed-key', serviceUrl: URL })
    await expect(making).rejects.toMatchObject({ reason: 'data-dir-unusable' })
  })
})

describe('the secrets of a sandbox', () => {
  const sandbox = (run: string) =>
    ({
      attesterKey: { accessKey: `ak ${run}`, signingSecret: `secret ${run}` },
      wallets: { attester: { privateKey: `0x${run}` } },
    }) as unknown as Sandbox
  const held = () =>
    Promise.all(['access_key', 'signing_secret', 'wallet_key'].map((name) => fs.readFile(at('s', name), 'utf8')))

  it('are written for the owner alone, and over those of an earlier run', async () => {
    await writeSandboxSecrets(at('s'), sandbox('1'))
    expect(await held()).toEqual(['ak 1\n', 'secret 1\n', '0x1\n'])
    expect(await mode(at('s', 'wallet_key'))).toBe('600')
    await writeSandboxSecrets(at('s'), sandbox('2'))
    await writeSandboxSecrets(at('s'), sandbox('3'))
    expect(await held()).toEqual(['ak 3\n', 'secret 3\n', '0x3\n'])
  })

  it('fill the empty files that init leaves', async () => {
    await fs.mkdir(at('s'))
    await fs.writeFile(at('s', 'wallet_key'), '')
    await writeSandboxSecrets(at('s'), sandbox('1'))
    expect((await held())[2]).toBe('0x1\n')
  })

  it('are not written over anything else, and then none of them is', async () => {
    await fs.mkdir(at('s'))
    await fs.writeFile(at('s', 'wallet_key'), 'the key of a real wallet')
    await expect(writeSandboxSecrets(at('s'), sandbox('1'))).rejects.toMatchObject({
      reason: 'setting-invalid',
      message: expect.stringContaining('wallet_key was not written by a sandbox'),
    })
    expect(await fs.readdir(at('s'))).toEqual(['wallet_key'])
    expect(await fs.readFile(at('s', 'wallet_key'), 'utf8')).toBe('the key of a real wallet')
  })

  it('that a person changed since are kept', async () => {
    await writeSandboxSecrets(at('s'), sandbox('1'))
    await fs.appendFile(at('s', 'signing_secret'), 'and more')
    await expect(writeSandboxSecrets(at('s'), sandbox('2'))).rejects.toMatchObject({ reason: 'setting-invalid' })
    expect((await held())[0]).toBe('ak 1\n')
  })

  it('of a process that ended in the middle can be written by the next', async () => {
    await writeSandboxSecrets(at('s'), sandbox('1'))
    await writeSandboxSecrets(at('s'), sandbox('2'))
    // As if the second had ended before its last file.
    await fs.writeFile(at('s', 'wallet_key'), '0x1\n')
    await writeSandboxSecrets(at('s'), sandbox('3'))
    expect((await held())[2]).toBe('0x3\n')
  })
})

describe('the models directory', () => {
  const survey = (detectors = '') =>
    surveyModels(loadSettings({ env: { ATTESTD_MODELS_DIR: root, ATTESTD_DETECTORS: detectors } }).settings)

  it('is listed by name, a package that is broken with what is wrong', async () => {
    await writeTinyPackage(root, { id: 'b-good' })
    await fs.mkdir(at('a-empty'))
    await writeTinyPackage(root, { id: 'c-broken', manifest: { aggregation: 'guess' } })
    await fs.writeFile(at('a-file'), '')
    const found = await survey()
    expect(found.map(({ id, version }) => [id, version])).toEqual([
      ['a-empty', null],
      ['b-good', '1.0.0'],
      ['c-broken', null],
    ])
    expect(found[1]).toMatchObject({
      mediaTypes: ['image'],
      part: { shadow: false },
      summary: tinyManifest('', {}).title,
    })
    expect(found[2]?.summary).toMatch(/^\[manifest-invalid\] /)
  })

  it('says what part the settings give each; none where they name others', async () => {
    await writeTinyPackage(root, { id: 'a' })
    await writeTinyPackage(root, { id: 'b' })
    const parts = async (detectors: string) => (await survey(detectors)).map(({ part }) => part)
    expect(await parts('')).toMatchObject([{ weight: 1 }, { weight: 1 }])
    expect(await parts('a=3')).toMatchObject([{ weight: 3, shadow: false }, null])
    expect(await parts('a=shadow,b=canary:7')).toMatchObject([{ shadow: true }, { canary: 7 }])
  })

  it('that is not there is an error', async () => {
    const settings = loadSettings({ env: { ATTESTD_MODELS_DIR: at('absent') } }).settings
    await expect(surveyModels(settings)).rejects.toMatchObject({ reason: 'setting-invalid' })
  })
})

describe('the data directory', () => {
  it('is made for its owner, with every place in it', async () => {
    const paths = await openDataDir(at('deep', 'data'))
    expect(await mode(at('deep', 'data'))).toBe('700')
    expect(await fs.readdir(at('deep', 'data'))).toEqual([])
    expect(paths).toEqual(dataPaths(at('deep', 'data')))
    expect(new Set(Object.values(paths)).size).toBe(Object.keys(paths).length)
  })

  it('may be a link itself, and holds none', async () => {
    await fs.mkdir(at('real'))
    await fs.symlink(at('real'), at('link'))
    await openDataDir(at('link'))
    await fs.symlink(at(), at('real', 'out'))
    await expect(openDataDir(at('link'))).rejects.toMatchObject({
      reason: 'data-dir-unusable',
      message: expect.stringContaining(path.join('link', 'out')),
    })
  })

  it('where a file stands is refused', async () => {
    await fs.writeFile(at('file'), '')
    await expect(openDataDir(at('file'))).rejects.toMatchObject({ reason: 'data-dir-unusable' })
  })
})

describe('a program', () => {
  async function program(name: string, filemode = 0o755) {
    await fs.mkdir(path.dirname(at(name)), { recursive: true })
    await fs.writeFile(at(name), '')
    await fs.chmod(at(name), filemode)
    return at(name)
  }

  it('is the first of its name on the search path that may be run', async () => {
    await program('a/tool', 0o644)
    await fs.mkdir(at('b', 'tool'), { recursive: true })
    const third = await program('c/tool')
    await program('d/tool')
    const search = ['absent', '', 'a', 'b', 'c', 'd'].map((name) => name && at(name)).join(path.delimiter)
    expect(await findProgram('tool', search)).toBe(third)
    expect(await findProgram('other', search)).toBeNull()
    expect(await findProgram('tool', '')).toBeNull()
  })

  it('with a slash is that file and no other', async () => {
    const tool = await program('a/tool')
    expect(await findProgram(tool, '')).toBe(tool)
    expect(await findProgram(at('b/tool'), at('a'))).toBeNull()
    expect(await findProgram(path.relative(process.cwd(), tool), '')).toBe(tool)
  })
})

describe('the embedded wallets of a sandbox', () => {
  it('are local ones, or none', () => {
    expect(embeddedWalletOptions('local', {})).toEqual({ embeddedWallet: { kind: 'local' } })
    expect(embeddedWalletOptions('none', {})).toEqual({ embeddedWallet: null })
  })

  it('at Privy are those of the settings, that wallet the one of the attester', () => {
    const address = `0x${'ab'.repeat(20)}`
    const env = {
      ATTESTD_WALLET_ADDRESS: address,
      ATTESTD_PRIVY_APP_ID: 'app',
      ATTESTD_PRIVY_APP_SECRET: 'hush',
      ATTESTD_PRIVY_WALLET_ID: 'w1',
    }
    expect(embeddedWalletOptions('privy', env)).toMatchObject({
      attesterWallet: address,
      embeddedWallet: { kind: 'privy', appId: 'app', appSecret: 'hush', walletIds: { [address]: 'w1' } },
    })
    expect(() => embeddedWalletOptions('privy', { ...env, ATTESTD_PRIVY_APP_SECRET: '' })).toThrow(
      /ATTESTD_PRIVY_APP_SECRET/,
    )
  })
})
