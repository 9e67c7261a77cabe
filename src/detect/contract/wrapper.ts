import { execFile } from 'node:child_process'
import { constants } from 'node:fs/promises'
import path from 'node:path'
import { isThere } from '../../core/files.js'

/** Where wrappers are; the environment of a detector process, and so its PATH, is empty. */
const PROGRAM_FOLDERS = ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/usr/local/bin']
/** A trial of a wrapper takes milliseconds. */
const TRIAL_TIMEOUT_MS = 5000

/** A program that runs another one with fewer rights. */
export interface Wrapper {
  readonly name: string
  readonly args: readonly string[]
}

/** Where a wrapper is, if it is there and works with its arguments here (a container may forbid what it does). */
export async function wrapperPath({ name, args }: Wrapper): Promise<string | null> {
  const [program, trial] = await Promise.all([find(name), find('true')])
  if (program === null || trial === null) return null
  const separated = args.includes('--') ? args : [...args, '--']
  return new Promise((resolve) => {
    const options = { env: {}, cwd: '/', timeout: TRIAL_TIMEOUT_MS, killSignal: 'SIGKILL' } as const
    execFile(program, [...separated, trial], options, (error) => resolve(error === null ? program : null))
  })
}

async function find(name: string): Promise<string | null> {
  for (const folder of PROGRAM_FOLDERS) {
    const file = path.join(folder, name)
    if (await isThere(file, constants.X_OK)) return file
  }
  return null
}
