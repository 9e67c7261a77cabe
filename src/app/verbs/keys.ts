import fs from 'node:fs/promises'
import path from 'node:path'
import type { Settings } from '../../config/settings.js'
import { makeFolder } from '../../core/disk/make-folder.js'
import { AttestdError, errorText } from '../../core/errors.js'
import type { CreatedKey, KeyKind } from '../../service/signed-key/schemas.js'
import type { WalletOfOptions } from '../open/open-wallet.js'
import { withDashboard } from './dashboard.js'

export interface KeyFiles {
  readonly accessKeyFile: string
  readonly signingSecretFile: string
}

/** `label` is for the service's dashboard; on the wallet-session API the wallet must have the role of `kind`. */
export interface NewKeyRequest {
  readonly kind: KeyKind
  readonly label: string
  /** Folder for the two halves, each in its own file; null: the caller shows them. */
  readonly out: string | null
}

/** Creates a key, and writes it to files where a folder is given; files that hold anything are never overwritten. */
export async function createKey(
  settings: Settings,
  { kind, label, out }: NewKeyRequest,
  wallet: WalletOfOptions = {},
): Promise<{ key: CreatedKey; files: KeyFiles | null }> {
  const places = out === null ? null : await holdPlaces(out)
  try {
    const key = await withDashboard(settings, { wallet, roles: [kind] }, (client, token) =>
      client.createKey({ kind, label }, token),
    )
    await places?.fill(key)
    return { key, files: places }
  } catch (error) {
    await places?.giveUp()
    throw error
  } finally {
    await places?.close()
  }
}

/** Revokes a key by its id. @throws as the service refuses, setting-missing without a session */
export async function revokeKey(settings: Settings, id: string, wallet: WalletOfOptions = {}): Promise<void> {
  await withDashboard(settings, { wallet, roles: ['attester', 'submitter'] }, (client, token) =>
    client.revokeKey(id, token),
  )
}

/** The service shows a secret once. */
const FIX =
  'Name another folder. Where one of the two files is empty, a keys create was ended between them: revoke that key, remove both, and create another.'

/** The two files are opened before the key is made: a secret that cannot be written would be lost for good. */
async function holdPlaces(folder: string) {
  const root = path.resolve(folder)
  const files = { accessKeyFile: path.join(root, 'access_key'), signingSecretFile: path.join(root, 'signing_secret') }
  await makeFolder(root, 0o700).catch((cause) => {
    throw new AttestdError('setting-invalid', `${root} cannot be created (${errorText(cause)}).`, { cause })
  })
  const held: Place[] = []
  const close = async () => {
    for (const place of held) await place.handle.close()
  }
  try {
    for (const file of Object.values(files)) held.push(await holdPlace(file))
  } catch (error) {
    await giveUp(held)
    await close()
    throw error
  }
  return {
    ...files,
    fill: async ({ accessKey, signingSecret }: CreatedKey) => {
      for (const [index, text] of [accessKey, signingSecret].entries()) {
        await held[index]!.handle.writeFile(`${text}\n`)
        await held[index]!.handle.sync()
      }
    },
    giveUp: () => giveUp(held),
    close,
  }
}

interface Place {
  readonly file: string
  readonly handle: fs.FileHandle
  /** Whether it was made just now; `attestd init` leaves empty ones. */
  readonly isNew: boolean
}

async function holdPlace(file: string): Promise<Place> {
  const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = fs.constants
  try {
    return { file, handle: await fs.open(file, O_WRONLY | O_CREAT | O_EXCL, 0o600), isNew: true }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw unwritable(file, error)
  }
  const handle = await fs.open(file, O_WRONLY | O_NOFOLLOW).catch((error) => {
    throw unwritable(file, error)
  })
  const stat = await handle.stat()
  if (!stat.isFile() || stat.size > 0) {
    await handle.close()
    throw new AttestdError('setting-invalid', `${file} already exists; it was not changed.`, { fix: FIX })
  }
  await handle.chmod(0o600)
  return { file, handle, isNew: false }
}

const unwritable = (file: string, cause: unknown): AttestdError =>
  new AttestdError('setting-invalid', `${file} cannot be written (${errorText(cause)}).`, { cause })

async function giveUp(held: readonly Place[]): Promise<void> {
  for (const { file, handle, isNew } of held) {
    const { size } = await handle.stat()
    if (isNew && size === 0) await fs.rm(file, { force: true })
  }
}
