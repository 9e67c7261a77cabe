import { Command, Option } from 'commander'
import type { KeyFiles } from '../app/verbs/keys.js'
import { AttestdError } from '../core/errors.js'
import { safeJson } from '../core/safe-output.js'
import type { CreatedKey, KeyKind } from '../service/signed-key/schemas.js'
import { neededForKeys } from './flags/needed-settings.js'
import { SERVICE_KEYS, settingsOf, verbWithSettings } from './flags/settings-flags.js'
import { askWalletPassword } from './terminal/password-prompt.js'
import { printLines, printText } from './terminal/print.js'

interface CreateFlags {
  readonly kind: KeyKind
  readonly label: string
  readonly out?: string
  readonly json?: boolean
}

/** `attestd keys create` and `revoke`; without --out a secret is shown on a terminal only, never into a pipe. */
export function keysVerb(): Command {
  return new Command('keys')
    .description("Create and revoke the service's access keys, as its dashboard does.")
    .addCommand(createVerb())
    .addCommand(revokeVerb())
}

function createVerb(): Command {
  const verb = verbWithSettings('create', 'Create an access key; its secret is shown once, or written.', SERVICE_KEYS)
    .addOption(new Option('--kind <kind>', 'whose key').choices(['attester', 'submitter']).makeOptionMandatory())
    .option('--label <text>', 'name of the key in the dashboard', 'attestd')
    .option('--out <folder>', 'write FOLDER/access_key and FOLDER/signing_secret, for their owner only')
    .option('--json', 'as one JSON line')
  return verb.action((flags: CreateFlags) => create(verb, flags))
}

function revokeVerb(): Command {
  const verb = verbWithSettings('revoke', 'Revoke an access key.', SERVICE_KEYS).argument(
    '<id>',
    'id of the key, as create printed it; not the access key',
  )
  return verb.action(async (id: string) => {
    const { revokeKey } = await import('../app/verbs/keys.js')
    await revokeKey(settingsOf(verb, neededForKeys).settings, id, { askPassword: askWalletPassword })
    printLines([`Revoked: ${id}`])
  })
}

async function create(verb: Command, { json, kind, label, out }: CreateFlags): Promise<void> {
  const { settings } = settingsOf(verb, neededForKeys)
  // Before a key is made: what is piped somewhere ends in logs.
  if (out === undefined && !process.stdout.isTTY) {
    throw new AttestdError(
      'setting-invalid',
      'The secret is shown on a terminal only; name a folder for it with --out.',
    )
  }
  const { createKey } = await import('../app/verbs/keys.js')
  const { files, key } = await createKey(
    settings,
    { kind, label, out: out ?? null },
    { askPassword: askWalletPassword },
  )
  if (json) printText(`${safeJson(jsonView(key, files))}\n`)
  else printLines(lines(key, files))
}

/** The secret itself only where it was not written to a file. */
function jsonView({ accessKey, key, signingSecret }: CreatedKey, files: KeyFiles | null) {
  const { display, id, kind } = key
  return { id, kind, display, ...(files === null ? { accessKey, signingSecret } : shown(files)) }
}

const shown = ({ accessKeyFile, signingSecretFile }: KeyFiles) => ({ accessKeyFile, signingSecretFile })

function lines({ accessKey, key, signingSecret, warning }: CreatedKey, files: KeyFiles | null): string[] {
  const head = `Created: ${key.kind} key ${key.id}  (${key.display})`
  if (files !== null) return [head, `Written: ${files.accessKeyFile}`, `         ${files.signingSecretFile}`]
  return [head, `  access key      ${accessKey}`, `  signing secret  ${signingSecret}`, warning]
}
