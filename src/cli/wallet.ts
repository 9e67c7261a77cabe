import { Command } from 'commander'
import { checkWallet, openWalletOf, walletSettingsNeeded } from '../app/open/open-wallet.js'
import type { SettingKey } from '../config/settings.js'
import { walletSettings } from '../config/wallet-settings.js'
import { settingsOf, verbWithSettings } from './flags/settings-flags.js'
import { askNewPassword, askWalletPassword } from './terminal/password-prompt.js'
import { printLines } from './terminal/print.js'

const WALLET_KEYS = Object.keys(walletSettings) as SettingKey[]

/** `attestd wallet create` and `address`; neither calls the service. */
export function walletVerb(): Command {
  return new Command('wallet')
    .description('Create a wallet for a wallet-session service, and check the configured one.')
    .addCommand(createVerb())
    .addCommand(addressVerb())
}

function createVerb(): Command {
  const verb = verbWithSettings('create', 'Create an encrypted keystore from a new or a given key.', ['walletKeystore'])
    .argument('[file]', 'file to write (default: ATTESTD_WALLET_KEYSTORE, else wallet.json)')
    .option('--from-key-file <file>', 'encrypt the private key in this file instead of a new one')
  return verb.action((file: string | undefined, { fromKeyFile }: { fromKeyFile?: string }) =>
    create(verb, file, fromKeyFile),
  )
}

async function create(verb: Command, file: string | undefined, keyFile: string | undefined): Promise<void> {
  const { settings } = settingsOf(verb)
  const { createWallet } = await import('../app/verbs/create-wallet.js')
  const wallet = await createWallet({
    file: file ?? settings.walletKeystore ?? 'wallet.json',
    keyFile,
    password: async () => settings.walletPassword ?? askNewPassword('Password for the new keystore'),
  })
  printLines([
    `Address: ${wallet.address}`,
    `Written: ${wallet.file}`,
    'Keep separate copies of the file and its password: without either, the key is lost.',
    'Settings for it:',
    '  ATTESTD_WALLET=keystore',
    `  ATTESTD_WALLET_KEYSTORE=${wallet.file}`,
    '  ATTESTD_WALLET_PASSWORD_FILE=<a file, mode 600, with the password>  (asked for on a terminal where it is not set)',
    ...(keyFile === undefined ? [] : [`The key is still unencrypted in ${keyFile}.`]),
  ])
}

function addressVerb(): Command {
  const verb = verbWithSettings(
    'address',
    'Open the configured wallet, let it sign a fixed text, and print its address.',
    WALLET_KEYS,
  )
  return verb.action(async () => {
    const { settings } = settingsOf(verb, walletSettingsNeeded)
    const signer = await openWalletOf(settings, { askPassword: askWalletPassword })
    await checkWallet(signer)
    printLines([signer.address])
  })
}
