import fs from 'node:fs/promises'
import path from 'node:path'
import { staysBelow } from '../../core/disk/plain-files.js'
import { AttestdError, errorText } from '../../core/errors.js'
import type { DataRow, DataSet } from './data-row.js'
import { readDatasetFolder } from './hub/read-dataset-folder.js'
import { readParquet } from './hub/read-parquet.js'
import { readIndex } from './read-index.js'
import { rowOf } from './row-fields.js'

/**
 * Reads labeled rows: a CSV with a head (path, label, and any other columns), JSON lines or a JSON list of such rows
 * (also gzipped; `text` instead of a path for prose), a parquet file, or a folder that holds `real/` and `fake/` or a
 * dataset of the Hugging Face hub.
 * @param root what paths of an index are relative to; its own folder where null
 * @throws AttestdError lab-data-invalid
 */
export async function readData(from: string, root: string | null): Promise<DataSet> {
  const stat = await fs.stat(from).catch((cause) => {
    throw new AttestdError('lab-data-invalid', `${from} cannot be read (${errorText(cause)}).`, { cause })
  })
  const below = path.resolve(stat.isDirectory() ? from : (root ?? path.dirname(from)))
  const rows = stat.isDirectory() ? await readDatasetFolder(below) : await readFile(from, below)
  await refuseWayOut(rows, below)
  if (rows.length === 0) throw new AttestdError('lab-data-invalid', `${from} holds no rows.`)
  return { from, rows }
}

function readFile(from: string, below: string): Promise<DataRow[]> {
  if (from.endsWith('.parquet')) return readParquet([path.resolve(from)], datasetOf(path.resolve(from)))
  return readIndex(from, (fields, where) => rowOf(fields, below, where))
}

/** A pack may come from elsewhere: no symbolic link in it leads to other files of this machine. */
async function refuseWayOut(rows: readonly DataRow[], root: string): Promise<void> {
  for (const { id, content } of rows) {
    if (!('file' in content) || (await staysBelow(root, content.file))) continue
    throw new AttestdError(
      'lab-data-invalid',
      `${id} leads out of ${root} by a symbolic link; list it in an index, and name a folder above both with --root.`,
    )
  }
}

/** The folder of a dataset that a parquet file belongs to. */
function datasetOf(file: string): string {
  const folder = path.dirname(file)
  return path.basename(folder) === 'data' ? path.dirname(folder) : folder
}
