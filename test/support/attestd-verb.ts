import { execFile } from 'node:child_process'
import { packagePath } from '../../src/core/files.js'

export interface EndedVerb {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** The real command as a process, with nothing of this environment but PATH. */
export function attestdVerb(args: readonly string[], env: Readonly<Record<string, string>>): Promise<EndedVerb> {
  const { PATH = '' } = process.env
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [packagePath('dist', 'cli', 'main.js'), ...args],
      { env: { PATH, HOME: '/nowhere', ...env } },
      (error, out, err) => resolve({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, out, err }),
    )
  })
}
