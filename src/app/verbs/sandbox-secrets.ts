import { createHash } from 'node:crypto'
import path from 'node:path'
import { makeFolder } from '../../core/disk/make-folder.js'
import { AttestdError } from '../../core/errors.js'
import { readFileIfPresent, writeFileAtomic } from '../../core/files.js'
import type { Sandbox } from '../../sandbox/create-sandbox.js'

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

function digestOf(content: Buffer | string): string {
  return createHash('sha256').update(content).digest('hex')
}

function notOurs(file: string): AttestdError {
  return new AttestdError(
    'setting-invalid',
    `${file} was not written by a sandbox, so it was not changed; use --secrets to name another folder.`,
  )
}
