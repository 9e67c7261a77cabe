import fs from 'node:fs/promises'
import path from 'node:path'
import { stringify } from 'yaml'
import { SETTINGS, type Settings } from '../../config/settings.js'
import { makeFolder } from '../../core/disk/make-folder.js'
import { AttestdError, errorText } from '../../core/errors.js'
import { readFileIfPresent, writeNewFile } from '../../core/files.js'

/** `serviceUrl` is checked as the setting is; `api` decides which secrets get a file, and whether a wallet is named. */
export interface InitRequest {
  readonly serviceUrl: string
  readonly api: Settings['serviceApi']
  /** Ids of the packages that count; any other one in the models directory is a shadow. */
  readonly detectors: readonly string[]
}

/** What a new folder holds, as absolute paths. */
export interface InitFiles {
  readonly config: string
  /** Empty, to be filled in. */
  readonly secrets: readonly string[]
  /** Where an encrypted wallet would be; null where the API needs none. */
  readonly keystore: string | null
}

const SECRETS = { 'signed-key': ['access_key', 'signing_secret'], 'wallet-session': ['wallet_key'] } as const

/** Writes `attestd.yaml` and empty secret files for the owner alone. @throws setting-invalid, data-dir-unusable */
export async function initFolder(folder: string, { api, detectors, serviceUrl }: InitRequest): Promise<InitFiles> {
  if (!SETTINGS.serviceUrl.parse.safeParse(serviceUrl).success) {
    throw new AttestdError(
      'setting-invalid',
      `--service-url takes ${SETTINGS.serviceUrl.expects}, got ${JSON.stringify(serviceUrl)}.`,
    )
  }
  const root = path.resolve(folder)
  const config = path.join(root, 'attestd.yaml')
  const secrets = SECRETS[api].map((name) => path.join(root, 'secrets', name))
  const keystore = api === 'wallet-session' ? path.join(root, 'keystore.json') : null
  const service = keystore ? walletText(serviceUrl, root, secrets, keystore) : keyText(serviceUrl, root, secrets)
  const content = service + DETECTORS + stringify({ detect: { detectors: [...detectors, '*=shadow'].join(',') } })
  try {
    await makeFolder(path.join(root, 'secrets'), 0o700)
    await requireNone(config)
    for (const secret of secrets) await fs.writeFile(secret, '', { flag: 'a', mode: 0o600 })
    // Last, because its presence states that the folder was made.
    await writeNewFile(config, content)
  } catch (error) {
    if (error instanceof AttestdError) throw error
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw existing(config)
    throw new AttestdError('data-dir-unusable', `${root} cannot be written (${errorText(error)}).`, {
      cause: error,
      fix: 'Name a folder that this user can write.',
    })
  }
  return { config, secrets, keystore }
}

/** Before anything is written. */
async function requireNone(config: string): Promise<void> {
  if ((await readFileIfPresent(config)) !== null) throw existing(config)
}

const existing = (config: string): AttestdError =>
  new AttestdError('setting-invalid', `${config} already exists; it was not changed.`)

const HEAD = '# Settings of attestd; config/SETTINGS.md lists all of them.\n'

const DETECTORS = '# The packages that score. Another one in the models directory only runs as a shadow.\n'

const runIn = (root: string) => ({ run: { dataDir: path.join(root, 'data') } })

const keyText = (url: string, root: string, [accessKeyFile, signingSecretFile]: readonly string[]): string =>
  HEAD + stringify({ service: { url, accessKeyFile, signingSecretFile }, ...runIn(root) })

/** What the service's operator must state stands there without a value. */
function walletText(url: string, root: string, [keyFile]: readonly string[], keystore: string): string {
  const id = Number(SETTINGS.chainId.fallback)
  const parts = [
    stringify({ service: { url, api: 'wallet-session' } }),
    `# An encrypted wallet instead: kind: keystore, keystore: ${keystore}, and passwordFile or a prompt.\n`,
    stringify({ wallet: { kind: 'local', keyFile } }),
    '# The stake contract must be filled in. Without RPC URLs the public endpoint of the chain is used.\n',
    stringify({ chain: { id, stakeContract: null, rpcUrls: null }, ...runIn(root) }, { nullStr: '' }),
  ]
  return HEAD + parts.join('')
}
