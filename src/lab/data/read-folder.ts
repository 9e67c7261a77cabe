import fs from 'node:fs/promises'
import path from 'node:path'
import { AttestdError } from '../../core/errors.js'
import type { DataRow } from './data-row.js'
import { rowOf, UNSTATED } from './row-fields.js'

/**
 * Rows of a folder with `real/` and `fake/` in it; the folder between, such as `fake/sdxl/1.png`, is the source, and
 * for fakes the generator.
 * @throws AttestdError lab-data-invalid
 */
export async function readFolder(folder: string): Promise<DataRow[]> {
  const rows: DataRow[] = []
  for (const label of ['real', 'fake']) {
    for (const file of await filesBelow(path.join(folder, label), folder)) {
      const relative = path.relative(folder, file)
      const between = path.dirname(path.relative(path.join(folder, label), file))
      const source = between === '.' ? UNSTATED : between
      rows.push(
        rowOf({ path: relative, label, source, generator: label === 'fake' ? source : UNSTATED }, folder, relative),
      )
    }
  }
  return rows
}

async function filesBelow(folder: string, given: string): Promise<string[]> {
  const entries = await fs.readdir(folder, { withFileTypes: true, recursive: true }).catch((cause) => {
    throw new AttestdError('lab-data-invalid', `${given} holds no folder ${path.basename(folder)}/.`, { cause })
  })
  return entries
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort()
}
