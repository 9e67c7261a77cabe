import { randomBytes } from 'node:crypto'
import fs from 'node:fs/promises'
import path from 'node:path'
import { makeFolder } from '../core/disk/make-folder.js'
import { linkBelow } from '../core/disk/plain-files.js'
import { storageError } from '../core/disk/storage-error.js'
import { AttestdError, errorText } from '../core/errors.js'
import { removeUnfinished, UNFINISHED_MS } from '../core/files.js'

/** Where each room keeps its files in the data directory. */
export type DataPaths = Readonly<ReturnType<typeof dataPaths>>

/** Names the places and touches none: for verbs that only read what a daemon left there. */
export function dataPaths(root: string) {
  const under = (name: string) => path.join(root, name)
  return {
    root,
    cache: under('cache'),
    verdicts: under('verdicts'),
    ledger: under('ledger'),
    admissions: under('admissions'),
    drift: under('drift'),
    /** The last hour of the console, a file. */
    history: under('history.json'),
    /** A file: what people did. */
    audit: under('audit.jsonl'),
  }
}

/**
 * Creates the data directory, for its owner only, and proves that it can be written and holds no symbolic link: through one,
 * what is written, evicted and pruned could be anywhere. The directory itself may be one.
 * @throws AttestdError data-dir-unusable, disk-full
 */
export async function openDataDir(root: string): Promise<DataPaths> {
  const link = await makeWritable(root)
  if (link === null) return dataPaths(root)
  throw new AttestdError('data-dir-unusable', `${link} is a symbolic link, which attestd does not follow.`, {
    fix: 'Move what it leads to into its place, mount it there, or set ATTESTD_DATA_DIR to another directory.',
  })
}

/** About the bytes of a picture. */
const PROBE_BYTES = 1024 ** 2

/** Named as an unfinished file, so that the probe of a killed process is removed with those. */
const probeIn = (folder: string) => path.join(folder, `.probe.${randomBytes(6).toString('hex')}.tmp`)

/** Writes a file of 1 MiB to the disk of a folder, and removes it. @throws what the disk refuses, as Node reports it */
export async function tryWriting(folder: string): Promise<void> {
  const probe = probeIn(folder)
  try {
    await fs.writeFile(probe, Buffer.alloc(PROBE_BYTES), { flush: true })
  } finally {
    await fs.rm(probe, { force: true })
  }
}

/** Removes what killed processes left among the files of the daemon; the verdicts look after their own. */
async function removeLeftovers(root: string, before: number): Promise<void> {
  const { admissions, cache, drift } = dataPaths(root)
  for (const folder of [root, admissions, cache, drift]) await removeUnfinished(folder, before)
}

/** @returns a symbolic link in it, or null */
async function makeWritable(root: string): Promise<string | null> {
  try {
    await makeFolder(root, 0o700)
    const probe = probeIn(root)
    await fs.writeFile(probe, '')
    const { mtimeMs: now } = await fs.stat(probe)
    await fs.rm(probe)
    const link = await linkBelow(root)
    if (link === null) await removeLeftovers(root, now - UNFINISHED_MS)
    return link
  } catch (error) {
    throw storageError(`${root} cannot be written (${errorText(error)}).`, error)
  }
}
