import { randomBytes } from 'node:crypto'
import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { isThere } from '../files.js'
import { answersSignals } from './process-identity.js'

/** Folders that this very process has open; its pid states nothing about the others it may find. */
const open = new Set<string>()

/**
 * A folder that is this user's alone, below one that all users share (/tmp). Where another put something under its name, or it is
 * open to others or cannot be written, a new one is made, which is not found again.
 * @param prefix before the number of the user
 * @returns its real path
 */
export async function privateFolder(parent: string, prefix: string): Promise<string> {
  const folder = path.join(await fs.realpath(parent), `${prefix}${process.getuid?.() ?? ''}`)
  await fs.mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  const isUsable = (await isPrivate(folder)) && (await isThere(folder, fs.constants.W_OK))
  return isUsable ? folder : fs.mkdtemp(`${folder}-`)
}

/** Looked at when it is open: no link, a folder, of this user, open to no other. */
async function isPrivate(folder: string): Promise<boolean> {
  const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = fs.constants
  const handle = await fs.open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW).catch(() => null)
  if (handle === null) return false
  const { mode, uid } = await handle.stat().finally(() => handle.close())
  return uid === process.getuid?.() && (mode & 0o077) === 0
}

/**
 * Makes a folder that is this process's alone, for its owner only, so that another can tell when it was left behind.
 * @param prefix without `_`: what kind of folder it is, before `HOST_PID_RANDOM`
 */
export async function makeOwnFolder(parent: string, prefix = ''): Promise<string> {
  const folder = path.join(parent, `${prefix}${hostName()}_${process.pid}_${randomBytes(6).toString('hex')}`)
  // Before it is there, so that nobody in this process takes it for one that was left.
  open.add(folder)
  await fs.mkdir(folder, { mode: 0o700 }).catch((error: unknown) => {
    open.delete(folder)
    throw error
  })
  return folder
}

/**
 * Makes an own folder for temporary files, in a private one where those that killed processes left are removed first.
 * @param prefix of the private folder, see `privateFolder`
 */
export async function makeTemporaryFolder(prefix: string): Promise<string> {
  const parent = await privateFolder(os.tmpdir(), prefix)
  await removeLeftFolders(parent)
  return makeOwnFolder(parent)
}

export async function removeOwnFolder(folder: string): Promise<void> {
  open.delete(folder)
  await fs.rm(folder, { recursive: true, force: true })
}

/**
 * Removes the folders of this kind that killed processes left.
 * @param isForeignLeft whether one of another machine, of which no pid can be looked up, was left. @default none
 */
export async function removeLeftFolders(
  parent: string,
  prefix = '',
  isForeignLeft: (folder: string) => Promise<boolean> = async () => false,
): Promise<void> {
  for (const name of await fs.readdir(parent)) {
    if (!name.startsWith(prefix)) continue
    const folder = path.join(parent, name)
    const [host, pid] = name.slice(prefix.length).split('_')
    const isLeft = host === hostName() ? isOfDead(folder, Number(pid)) : await isForeignLeft(folder)
    if (isLeft) await fs.rm(folder, { recursive: true, force: true })
  }
}

const isOfDead = (folder: string, pid: number): boolean => (pid === process.pid ? !open.has(folder) : !isAlive(pid))

function isAlive(pid: number): boolean {
  // Signals to 0 and below are for groups.
  return Number.isInteger(pid) && pid > 0 && answersSignals(pid)
}

const hostName = (): string => os.hostname().replaceAll(/[^a-zA-Z0-9.-]/g, '-')
