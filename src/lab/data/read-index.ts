import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { parse } from 'csv-parse/sync'
import { readRegularFile } from '../../core/disk/plain-files.js'
import { AttestdError, errorText } from '../../core/errors.js'
import type { DataRow } from './data-row.js'

/** Most bytes of an index, unpacked. */
const MAX_INDEX_BYTES = 512 * 1024 * 1024

/** A row of an index from its fields. */
export type ToRow = (fields: Readonly<Record<string, unknown>>, where: string) => DataRow

/** Rows of a CSV with a head, JSON lines or a JSON list, also gzipped. @throws AttestdError lab-data-invalid */
export async function readIndex(file: string, toRow: ToRow): Promise<DataRow[]> {
  const name = path.basename(file).replace(/\.gz$/, '')
  const text = await readText(file)
  if (name.endsWith('.csv')) return csvRows(text, file, toRow)
  if (name.endsWith('.jsonl')) return lineRows(text, file, toRow)
  if (name.endsWith('.json')) return listRows(text, file, toRow)
  throw new AttestdError(
    'lab-data-invalid',
    `${file} is not .csv, .jsonl, .json (or .gz of one), .parquet, nor a folder with real/ and fake/ or a dataset. Unpack an archive first: tar xf ARCHIVE.tar -C FOLDER, then --root FOLDER.`,
  )
}

async function readText(file: string): Promise<string> {
  const bytes = await readRegularFile(file).catch((cause) => {
    throw new AttestdError('lab-data-invalid', `${file} cannot be read (${errorText(cause)}).`, { cause })
  })
  try {
    const plain = file.endsWith('.gz') ? gunzipSync(bytes, { maxOutputLength: MAX_INDEX_BYTES }) : bytes
    // Excel saves tables as UTF-16, too, with a mark in front.
    const encoding = plain[0] === 0xff && plain[1] === 0xfe ? 'utf16le' : 'utf8'
    return plain.toString(encoding).replace(/^\uFEFF/, '')
  } catch (cause) {
    throw new AttestdError('lab-data-invalid', `${file} cannot be unpacked (${errorText(cause)}).`, { cause })
  }
}

function csvRows(text: string, file: string, toRow: ToRow): DataRow[] {
  let records: Record<string, string>[]
  try {
    const [head = ''] = text.split('\n', 1)
    const delimiter = [',', ';', '\t'].find((each) => head.includes(each)) ?? ','
    records = parse(text, { columns: requireDistinct, delimiter, skip_empty_lines: true, trim: true })
  } catch (cause) {
    throw new AttestdError('lab-data-invalid', `${file} is not CSV: ${errorText(cause)}`, { cause })
  }
  return records.map((record, index) => toRow(record, `${path.basename(file)} row ${index + 1}`))
}

/** Of two columns of one name, nobody knows which is meant. */
function requireDistinct(columns: string[]): string[] {
  const twice = columns.find((name, index) => name !== '' && columns.indexOf(name) < index)
  if (twice !== undefined) throw new Error(`two columns are named ${twice}`)
  return columns
}

function lineRows(text: string, file: string, toRow: ToRow): DataRow[] {
  return text.split('\n').flatMap((line, index) => {
    const where = `${path.basename(file)} line ${index + 1}`
    return line.trim() === '' ? [] : [toRow(objectOf(jsonOf(line, where), where), where)]
  })
}

function listRows(text: string, file: string, toRow: ToRow): DataRow[] {
  const list = jsonOf(text, file)
  if (!Array.isArray(list)) throw new AttestdError('lab-data-invalid', `${file} is not a list of rows.`)
  return list.map((each, index) => {
    const where = `${path.basename(file)} row ${index + 1}`
    return toRow(objectOf(each, where), where)
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
