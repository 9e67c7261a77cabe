import fs from 'node:fs/promises'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { parse } from 'csv-parse/sync'
import { AttestdError, errorText } from '../../core/errors.js'
import { staysBelow } from '../../core/symbolic-links.js'
import type { DataRow, DataSet } from './data-row.js'
import { readFolder } from './read-folder.js'
import { rowOf } from './row-fields.js'

/** Most bytes of an index, unpacked. */
const MAX_INDEX_BYTES = 512 * 1024 * 1024

/**
 * Reads labeled rows: a CSV with a head (path, label, and any other columns), JSON lines or a JSON list of such rows
 * (also gzipped; `text` instead of a path for prose), or a folder that holds `real/` and `fake/`.
 * @param root what paths of an index are relative to; its own folder where null
 * @throws AttestdError lab-data-invalid
 */
export async function readData(from: string, root: string | null): Promise<DataSet> {
  const stat = await fs.stat(from).catch((cause) => {
    throw new AttestdError('lab-data-invalid', `${from} cannot be read (${errorText(cause)}).`, { cause })
  })
  const below = path.resolve(stat.isDirectory() ? from : (root ?? path.dirname(from)))
  const rows = stat.isDirectory() ? await readFolder(below) : await readIndex(from, below)
  await refuseWayOut(rows, below)
  if (rows.length === 0) throw new AttestdError('lab-data-invalid', `${from} holds no rows.`)
  return { from, rows }
}

/** A pack may come from elsewhere: no symbolic link in it leads to other files of this machine. */
async function refuseWayOut(rows: readonly DataRow[], root: string): Promise<void> {
  for (const { id, content } of rows) {
    if (!('file' in content) || (await staysBelow(root, content.file))) continue
    throw new AttestdError(
      'lab-data-invalid',
      `${id} leads out of ${root} by a symbolic link; name a folder above both with --root.`,
    )
  }
}

async function readIndex(file: string, root: string): Promise<DataRow[]> {
  const name = path.basename(file).replace(/\.gz$/, '')
  const text = await readText(file)
  if (name.endsWith('.csv')) return csvRows(text, file, root)
  if (name.endsWith('.jsonl')) return lineRows(text, file, root)
  if (name.endsWith('.json')) return listRows(text, file, root)
  throw new AttestdError(
    'lab-data-invalid',
    `${file} is not .csv, .jsonl, .json (or .gz of one), nor a folder with real/ and fake/. Unpack an archive first: tar xf ARCHIVE.tar -C FOLDER, then --root FOLDER.`,
  )
}

async function readText(file: string): Promise<string> {
  const bytes = await fs.readFile(file)
  try {
    const plain = file.endsWith('.gz') ? gunzipSync(bytes, { maxOutputLength: MAX_INDEX_BYTES }) : bytes
    return plain.toString('utf8')
  } catch (cause) {
    throw new AttestdError('lab-data-invalid', `${file} cannot be unpacked (${errorText(cause)}).`, { cause })
  }
}

function csvRows(text: string, file: string, root: string): DataRow[] {
  let records: Record<string, string>[]
  try {
    records = parse(text, { columns: true, bom: true, skip_empty_lines: true, trim: true })
  } catch (cause) {
    throw new AttestdError('lab-data-invalid', `${file} is not CSV: ${errorText(cause)}`, { cause })
  }
  return records.map((record, index) => rowOf(record, root, `${path.basename(file)} row ${index + 1}`))
}

function lineRows(text: string, file: string, root: string): DataRow[] {
  return text.split('\n').flatMap((line, index) => {
    const where = `${path.basename(file)} line ${index + 1}`
    return line.trim() === '' ? [] : [rowOf(objectOf(jsonOf(line, where), where), root, where)]
  })
}

function listRows(text: string, file: string, root: string): DataRow[] {
  const list = jsonOf(text, file)
  if (!Array.isArray(list)) throw new AttestdError('lab-data-invalid', `${file} is not a list of rows.`)
  return list.map((each, index) => {
    const where = `${path.basename(file)} row ${index + 1}`
    return rowOf(objectOf(each, where), root, where)
  })
}

function jsonOf(text: string, where: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new AttestdError('lab-data-invalid', `${where} is not JSON: ${errorText(cause)}`, { cause })
  }
}

function objectOf(value: unknown, where: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw new AttestdError('lab-data-invalid', `${where} is not an object.`)
}
