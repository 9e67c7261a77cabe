import fs from 'node:fs/promises'
import path from 'node:path'
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
  const rows = stat.isDirectory() ? await readDatasetFolder(path.resolve(from)) : await readFile(from, root)
  if (rows.length === 0) throw new AttestdError('lab-data-invalid', `${from} holds no rows.`)
  return { from, rows }
}

function readFile(from: string, root: string | null): Promise<DataRow[]> {
  if (from.endsWith('.parquet')) return readParquet([path.resolve(from)], datasetOf(path.resolve(from)))
  const below = path.resolve(root ?? path.dirname(from))
  return readIndex(from, (fields, where) => rowOf(fields, below, where))
}

/** The folder of a dataset that a parquet file belongs to. */
function datasetOf(file: string): string {
  const folder = path.dirname(file)
  return path.basename(folder) === 'data' ? path.dirname(folder) : folder
}
