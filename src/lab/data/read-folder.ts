import fs from 'node:fs/promises'
import path from 'node:path'
import { AttestdError } from '../../core/errors.js'
import type { DataRow } from './data-row.js'
import { classOf, rowOf, UNSTATED } from './row-fields.js'

/** The folders of both classes, such as `real/` and `fake/`, `REAL/` and `FAKE/`, `0/` and `1/`; null without both. */
export async function classFolders(folder: string): Promise<string[] | null> {
  const names = await folderNames(folder)
  const named = names.filter((name) => classOf(name) !== null)
  return new Set(named.map(classOf)).size === 2 ? named : null
}

async function folderNames(folder: string): Promise<string[]> {
  const entries = await fs.readdir(folder, { withFileTypes: true })
  return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).sort()
}

/**
 * Rows of a folder with a folder for each class in it; the folder between, such as `fake/sdxl/1.png`, is the source, and
 * for fakes the generator.
 * @throws AttestdError lab-data-invalid
 */
export async function readFolder(folder: string): Promise<DataRow[]> {
  const classes = await classFolders(folder)
  if (classes === null) throw await withoutClasses(folder)
  const rows: DataRow[] = []
  // Real ones first, as ever.
  for (const name of classes.toSorted((a, b) => Number(classOf(a)) - Number(classOf(b)))) {
    const label = classOf(name) ? 'fake' : 'real'
    for (const file of await filesBelow(path.join(folder, name))) {
      const relative = path.relative(folder, file)
      const between = path.dirname(path.relative(path.join(folder, name), file))
      const source = between === '.' ? UNSTATED : between
      const generator = label === 'fake' ? source : UNSTATED
      rows.push(rowOf({ path: relative, label, source, generator }, folder, relative))
    }
  }
  return rows
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await fs.readdir(folder, { withFileTypes: true, recursive: true })
  // A link is a row, too: one that leads out of the folder, or nowhere, is refused by name and not left out.
  return entries
    .filter((entry) => (entry.isFile() || entry.isSymbolicLink()) && !entry.name.startsWith('.'))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort()
}

/** What is there instead decides what to do. */
async function withoutClasses(folder: string): Promise<AttestdError> {
  const refused = (fix: string) =>
    new AttestdError('lab-data-invalid', `${folder} holds no folder for each class, such as real/ and fake/.`, { fix })
  const entries = await fs.readdir(folder)
  if (entries.some((name) => name.endsWith('.arrow') || name === 'dataset_dict.json')) {
    return refused(
      "This is a dataset of save_to_disk: write it with dataset.to_parquet('rows.parquet'), and name that file.",
    )
  }
  for (const name of await folderNames(folder)) {
    const inner = path.join(folder, name)
    if ((await classFolders(inner)) !== null) return refused(`Name a folder that does: ${inner}.`)
  }
  return refused(
    'Sort the files into real/ and fake/ (or human/ and ai/, 0/ and 1/), or name an index: a CSV with path and label.',
  )
}
