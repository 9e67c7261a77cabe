import fs from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { embeddedWalletOptions, writeSandboxSecrets } from '../../../src/app/verbs/sandbox.js'
import type { Sandbox } from '../../../src/sandbox/create-sandbox.js'
import { failure } from '../../support/failure.js'
import { folderForEach } from '../../support/temporary-folder.js'
import { withReason } from '../../support/with-reason.js'

const root = folderForEach()

const at = (...names: string[]) => path.join(root, ...names)
const mode = async (file: string) => ((await fs.stat(file)).mode & 0o777).toString(8)

describe('the secrets of a sandbox', () => {
  const sandbox = (run: string) =>
    ({
      attesterKey: { accessKey: `ak ${run}`, signingSecret: `secret ${run}` },
      wallets: { attester: { privateKey: `0x${run}` } },
    }) as unknown as Sandbox
  const held = () =>
    Promise.all(['access_key', 'signing_secret', 'wallet_key'].map((name) => fs.readFile(at('s', name), 'utf8')))

  it('are readable by the owner only, and replace those of an earlier run', async () => {
    await writeSandboxSecrets(at('s'), sandbox('1'))
    expect(await held()).toEqual(['ak 1\n', 'secret 1\n', '0x1\n'])
    expect(await mode(at('s', 'wallet_key'))).toBe('600')
    await writeSandboxSecrets(at('s'), sandbox('2'))
    await writeSandboxSecrets(at('s'), sandbox('3'))
    expect(await held()).toEqual(['ak 3\n', 'secret 3\n', '0x3\n'])
  })

  it('fill the empty files of init', async () => {
    await fs.mkdir(at('s'))
    await fs.writeFile(at('s', 'wallet_key'), '')
    await writeSandboxSecrets(at('s'), sandbox('1'))
    expect((await held())[2]).toBe('0x1\n')
  })

  it('replace no other file, and then none is written', async () => {
    await fs.mkdir(at('s'))
    await fs.writeFile(at('s', 'wallet_key'), 'the key of a real wallet')
    const error = await failure(writeSandboxSecrets(at('s'), sandbox('1')))
    expect(error).toEqual(withReason('setting-invalid', 'wallet_key was not written by a sandbox'))
    expect(error.message).not.toContain('real wallet')
    expect(await fs.readdir(at('s'))).toEqual(['wallet_key'])
    expect(await fs.readFile(at('s', 'wallet_key'), 'utf8')).toBe('the key of a real wallet')
  })

  it('that a person changed since are kept', async () => {
    await writeSandboxSecrets(at('s'), sandbox('1'))
    await fs.appendFile(at('s', 'signing_secret'), 'and more')
    await expect(writeSandboxSecrets(at('s'), sandbox('2'))).rejects.toMatchObject({ reason: 'setting-invalid' })
    expect((await held())[0]).toBe('ak 1\n')
  })

  it('of a process that ended in the middle are written by the next', async () => {
    await writeSandboxSecrets(at('s'), sandbox('1'))
    await writeSandboxSecrets(at('s'), sandbox('2'))
    // As if the second had ended before its last file.
    await fs.writeFile(at('s', 'wallet_key'), '0x1\n')
    await writeSandboxSecrets(at('s'), sandbox('3'))
    expect((await held())[2]).toBe('0x3\n')
  })
})

describe('the embedded wallets of a sandbox', () => {
  it('are local ones, or none', () => {
    expect(embeddedWalletOptions('local', {})).toEqual({ embeddedWallet: { kind: 'local' } })
    expect(embeddedWalletOptions('none', {})).toEqual({ embeddedWallet: null })
  })

  it('at Privy are those of the settings, and that wallet is the attester', () => {
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
