import { createHash } from 'node:crypto'
import path from 'node:path'
import { loadSettings } from '../../config/load.js'
import { makeFolder } from '../../core/disk/make-folder.js'
import { AttestdError } from '../../core/errors.js'
import { readFileIfPresent, writeFileAtomic } from '../../core/files.js'
import type { Sandbox } from '../../sandbox/create-sandbox.js'
import type { SandboxOptions } from '../../sandbox/sandbox-options.js'
import { walletChoiceOf, walletSettingsNeeded } from '../open/open-wallet.js'

/** Digests of what a sandbox wrote, a line each: nothing else is replaced. */
const NOTE = '.written-by-sandbox'

/**
 * Writes the attester's keys as `attestd init` names them, over empty files and those of an earlier sandbox: the key of
 * a real wallet may stand nowhere else.
 * @throws AttestdError setting-invalid where a file holds something else; nothing is written then
 */
export async function writeSandboxSecrets(folder: string, { attesterKey, wallets }: Sandbox): Promise<void> {
  await makeFolder(folder, 0o700)
  const note = path.join(folder, NOTE)
  const digests = new Set(String((await readFileIfPresent(note)) ?? '').split('\n'))
  const files = Object.entries({
    access_key: attesterKey.accessKey,
    signing_secret: attesterKey.signingSecret,
    wallet_key: wallets.attester.privateKey,
  }).map(([name, secret]) => ({ file: path.join(folder, name), text: `${secret}\n` }))
  for (const { file, text } of files) {
    const held = await readFileIfPresent(file)
    if (held !== null && held.length > 0 && !digests.has(digestOf(held))) throw notOurs(file)
    digests.add(digestOf(text))
  }
  // Before the files: a process that ends in between must not lock the next one out.
  await writeFileAtomic(note, [...digests].join('\n'))
  for (const { file, text } of files) await writeFileAtomic(file, text)
}

const digestOf = (content: Buffer | string): string => createHash('sha256').update(content).digest('hex')

function notOurs(file: string): AttestdError {
  return new AttestdError(
    'setting-invalid',
    `${file} was not written by a sandbox, so it was not changed; use --secrets to name another folder.`,
  )
}

/** Where a sandbox has the wallets of v1's attesters; `none`: its scores carry no attestation. */
export type AttestationProvider = 'local' | 'privy' | 'none'

/**
 * The options of a sandbox for its provider of embedded wallets. Privy's settings are those of the daemon's own Privy
 * wallet, and that wallet becomes the one of the default attester key.
 * @throws as `loadSettings` does where they are missing
 */
export function embeddedWalletOptions(
  provider: AttestationProvider,
  env: Readonly<Record<string, string | undefined>>,
): Pick<SandboxOptions, 'embeddedWallet' | 'attesterWallet'> {
  if (provider !== 'privy') return { embeddedWallet: provider === 'local' ? { kind: 'local' } : null }
  const { settings } = loadSettings({ env: { ...env, ATTESTD_WALLET: 'privy' }, need: walletSettingsNeeded })
  const choice = walletChoiceOf(settings)
  if (choice.kind !== 'privy') throw new AttestdError('internal-error', 'A Privy wallet was requested.')
  const { address, walletId, expectedAddress: _, ...app } = choice
  return { embeddedWallet: { ...app, walletIds: { [address]: walletId } }, attesterWallet: address }
}
