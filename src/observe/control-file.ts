import { randomBytes } from 'node:crypto'
import fs from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { makeFolder } from '../core/disk/make-folder.js'
import { readFileIfPresent, writeFileAtomic } from '../core/files.js'
import { readJson } from '../core/text.js'

const controlFile = z.object({
  /** Where the daemon's HTTP side answers, `http://127.0.0.1:8780`. */
  url: z.url(),
  /** Bearer token of this run. */
  token: z.string().min(32),
  pid: z.number().int().positive(),
})

/** How another process of the same user finds and talks to the running daemon. */
export type ControlFile = z.infer<typeof controlFile>

const NAME = 'control.json'

/** A token for one run, 256 random bits. */
export const newControlToken = (): string => randomBytes(32).toString('base64url')

/** Writes DATA_DIR/control.json, readable by its owner only. */
export async function writeControlFile(dataDir: string, content: ControlFile): Promise<void> {
  await writeFileAtomic(path.join(dataDir, NAME), `${JSON.stringify(controlFile.parse(content))}\n`)
}

/** Writes it again, with the data directory, where somebody removed it while the daemon runs. @returns whether it was gone */
export async function keepControlFile(dataDir: string, content: ControlFile): Promise<boolean> {
  if (await readControlFile(dataDir)) return false
  await makeFolder(dataDir, 0o700)
  await writeControlFile(dataDir, content)
  return true
}

/** @returns null where there is none, or it is not of the stated shape. The daemon may be gone all the same. */
export async function readControlFile(dataDir: string): Promise<ControlFile | null> {
  const content = await readFileIfPresent(path.join(dataDir, NAME))
  return content && readJson(controlFile, content.toString('utf8'))
}

/** Removes the file at the end of a run, unless another run has replaced it. */
export async function removeControlFile(dataDir: string, token: string): Promise<void> {
  const current = await readControlFile(dataDir)
  if (current?.token === token) await fs.rm(path.join(dataDir, NAME), { force: true })
}
