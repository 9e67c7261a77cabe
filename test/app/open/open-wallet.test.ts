import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { checkWallet, openWalletOf, walletSettingsNeeded, withPassword } from '../../../src/app/open/open-wallet.js'
import { loadSettings } from '../../../src/config/load.js'
import { shownSettings } from '../../../src/config/show.js'
import { createKeystore } from '../../../src/wallet/create-keystore.js'
import { PrivyStub } from '../../support/privy-stub.js'
import { folderForAll } from '../../support/temporary-folder.js'

const key = generatePrivateKey()
const { address } = privateKeyToAccount(key)
const PASSWORD = 'correct horse battery'
const OTHER_ADDRESS = `0x${'12'.repeat(20)}`

const folder = folderForAll()
let file: string
beforeAll(async () => {
  file = path.join(folder, 'wallet.json')
  const cost = { n: 1024, r: 8, p: 1 }
  await createKeystore({ file, password: PASSWORD, privateKey: key, random: randomBytes, cost })
})

const settingsWith = (env: Record<string, string>) => loadSettings({ env }).settings
const local = { ATTESTD_WALLET_KEY: key }
const keystore = () => ({ ATTESTD_WALLET: 'keystore', ATTESTD_WALLET_KEYSTORE: file })

describe('the wallet of the settings', () => {
  it('is a private key by default', async () => {
    const signer = await openWalletOf(settingsWith(local))
    expect(signer.address).toBe(address)
    await checkWallet(signer)
  })

  it('may be a keystore with its password', async () => {
    const settings = settingsWith({ ...keystore(), ATTESTD_WALLET_PASSWORD: PASSWORD })
    const unasked = { askPassword: () => expect.unreachable('asked') }
    expect((await openWalletOf(settings, unasked)).address).toBe(address)
  })

  it('may be a keystore whose password is asked for, with the name of its file', async () => {
    const asked: string[] = []
    const askPassword = async (name: string) => {
      asked.push(name)
      return PASSWORD
    }
    expect((await openWalletOf(settingsWith(keystore()), { askPassword })).address).toBe(address)
    expect(asked).toEqual([file])
  })

  it('asks for the keystore password before any other work, and hides the answer', async () => {
    const session = { ATTESTD_SERVICE_API: 'wallet-session' }
    const askPassword = async () => PASSWORD
    const loaded = await withPassword(loadSettings({ env: { ...keystore(), ...session } }), askPassword)
    expect((await openWalletOf(loaded.settings)).address).toBe(address)
    expect(loaded.secrets).toContain(PASSWORD)
    const shown = shownSettings(loaded).find(({ name }) => name === 'ATTESTD_WALLET_PASSWORD')
    expect(shown).toMatchObject({ origin: 'asked for', value: expect.not.stringContaining(PASSWORD) })
  })

  it.each<[string, Record<string, string>]>([
    ['its password is set', { ATTESTD_SERVICE_API: 'wallet-session', ATTESTD_WALLET_PASSWORD: PASSWORD }],
    ['the service takes signed keys', {}],
    [
      'the process only analyzes',
      { ATTESTD_SERVICE_API: 'wallet-session', ATTESTD_ROLES: 'analyze', ATTESTD_QUEUE_URL: 'redis://h:1' },
    ],
  ])('asks nobody where %s', async (_, own) => {
    const loaded = loadSettings({ env: { ...keystore(), ...own } })
    expect(await withPassword(loaded, () => expect.unreachable('asked'))).toBe(loaded)
  })

  it('may be a wallet at Privy, checked by a signature', async () => {
    const stub = await PrivyStub.start()
    onTestFinished(() => stub.close())
    const signer = await openWalletOf(settingsWith(stub.env))
    expect(signer.address).toBe(stub.address)
    await checkWallet(signer)
    stub.setFault({ kind: 'wrong-signature' })
    await expect(checkWallet(signer)).rejects.toMatchObject({ reason: 'signature-wrong' })
  })

  it('must have the address of the settings', async () => {
    for (const env of [local, { ...keystore(), ATTESTD_WALLET_PASSWORD: PASSWORD }]) {
      const signer = await openWalletOf(settingsWith({ ...env, ATTESTD_WALLET_ADDRESS: address }))
      expect(signer.address).toBe(address)
      const other = settingsWith({ ...env, ATTESTD_WALLET_ADDRESS: OTHER_ADDRESS })
      await expect(openWalletOf(other)).rejects.toMatchObject({ reason: 'wallet-unusable' })
    }
  })
})

it('what is missing is demanded of a verb by the kind of wallet, but for a password that can be asked for', () => {
  expect(walletSettingsNeeded({})).toEqual([])
  expect(walletSettingsNeeded({ wallet: 'local' })).toEqual(['walletKey'])
  expect(walletSettingsNeeded({ wallet: 'keystore' })).toEqual(['walletKeystore'])
  const privy = walletSettingsNeeded({ wallet: 'privy' })
  expect(privy).toEqual(['walletAddress', 'privyAppId', 'privyAppSecret', 'privyWalletId'])
})
