import fs from 'node:fs/promises'
import path from 'node:path'
import type { DataRow } from '../data-row.js'
import { classFolders, readFolder } from '../read-folder.js'
import { readIndex } from '../read-index.js'
import { rowOf, UNSTATED } from '../row-fields.js'
import { featuresOfFolder, withClassNames } from './features.js'
import { readParquet } from './read-parquet.js'

/** Files that list the media in the same folder with their labels. */
const METADATA = /(?:^|\/)metadata\.(?:csv|jsonl)$/

/**
 * Rows of a folder: `real/` and `fake/`, or a dataset of the Hugging Face hub, which is parquet files, or files with
 * `metadata.csv` or `metadata.jsonl` next to them. Of a dataset every split is read; `split` is a column.
 * @throws AttestdError lab-data-invalid
 */
export async function readDatasetFolder(folder: string): Promise<DataRow[]> {
  const names = await namesBelow(folder)
  if ((await classFolders(folder)) !== null) return readFolder(folder)
  const parquet = names.filter((name) => name.endsWith('.parquet'))
  if (parquet.length > 0)
    return readParquet(
      parquet.map((name) => path.join(folder, name)),
      folder,
    )
  const metadata = names.filter((name) => METADATA.test(name))
  if (metadata.length === 0) return readFolder(folder)
  const features = await featuresOfFolder(folder)
  const all = metadata.map(async (name) => {
    const root = path.join(folder, path.dirname(name))
    const split = path.dirname(name) === '.' ? UNSTATED : path.dirname(name)
    return readIndex(path.join(folder, name), (fields, where) => {
      const row = rowOf({ split, ...withClassNames(fields, features) }, root, where)
      // The same name may be in every split.
      return { ...row, id: path.join(path.dirname(name), row.id) }
    })
  })
  return (await Promise.all(all)).flat()
}

/** Relative, with slashes, sorted; what is hidden, such as `.git`, is left out. */
async function namesBelow(folder: string): Promise<string[]> {
  const names = await fs.readdir(folder, { recursive: true })
  return names.filter((name) => !name.split(path.sep).some((part) => part.startsWith('.'))).sort()
}
