import fs from 'node:fs/promises'
import path from 'node:path'
import { AttestdError, errorText } from '../core/errors.js'

/** Where each room keeps its files in the data directory. */
export interface DataPaths {
  readonly root: string
  readonly cache: string
  readonly verdicts: string
  readonly ledger: string
  readonly admissions: string
  readonly drift: string
}

/** Names the places and touches none: for verbs that only read what a daemon left there. */
export function dataPaths(root: string): DataPaths {
  const under = (name: string) => path.join(root, name)
  return {
    root,
    cache: under('cache'),
    verdicts: under('verdicts'),
    ledger: under('ledger'),
    admissions: under('admissions'),
    drift: under('drift'),
  }
}

/**
 * Creates the data directory, for its owner only, and proves that it can be written.
 * @throws AttestdError data-dir-unusable
 */
export async function openDataDir(root: string): Promise<DataPaths> {
  const paths = dataPaths(root)
  try {
    await fs.mkdir(root, { recursive: true, mode: 0o700 })
    const probe = await fs.mkdtemp(path.join(root, '.probe-'))
    await fs.rmdir(probe)
  } catch (error) {
    throw new AttestdError('data-dir-unusable', `${root} cannot be written (${errorText(error)}).`, { cause: error })
  }
  return paths
}
