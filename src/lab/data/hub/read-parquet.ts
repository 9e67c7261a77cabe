import { isUtf8 } from 'node:buffer'
import path from 'node:path'
import { LRUCache } from 'lru-cache'
import { AttestdError } from '../../../core/errors.js'
import type { DataRow } from '../data-row.js'
import { labeledRow, UNSTATED } from '../row-fields.js'
import { type Features, featuresOfFolder, featuresOfParquet, withClassNames } from './features.js'
import { type ParquetColumn, ParquetFile } from './parquet-file.js'

/** `train-00000-of-00002.parquet`. */
const SHARD = /^(.+)-\d+-of-\d+\.parquet$/

/**
 * Rows of parquet files as the Hugging Face hub has them: media in a column of `{ bytes, path }`, or prose in `text`, and
 * a `label`, whose class names are in the file or in its folder. Bytes are read when a row is scored.
 * @param files parts of one dataset, as shards or splits
 * @param folder where `README.md` or `dataset_infos.json` may be
 * @throws AttestdError lab-data-invalid
 */
export async function readParquet(files: readonly string[], folder: string): Promise<DataRow[]> {
  const ofFolder = await featuresOfFolder(folder)
  const cells = new MediaCells()
  const parts: DataRow[][] = []
  for (const name of files) {
    const file = await ParquetFile.open(name)
    parts.push(await rowsOf(file, path.relative(folder, name), ofFolder, cells))
  }
  return parts.flat()
}

async function rowsOf(file: ParquetFile, name: string, ofFolder: Features, cells: MediaCells): Promise<DataRow[]> {
  const features = featuresOfParquet(file.note('huggingface')) ?? ofFolder
  const media = file.columns.find(isMedia)?.name
  const plain = file.columns.filter(({ members }) => members.length === 0).map((column) => column.name)
  if (media === undefined && !plain.includes('text')) {
    throw new AttestdError(
      'lab-data-invalid',
      `${file.file} has neither a column of { bytes, path } nor one named text.`,
    )
  }
  const records = await file.records(plain)
  const mediaType = media === undefined ? 'text' : features.get(media)?.mediaType
  const split = splitOf(name)
  return records.map((record, row) => {
    const where = `${name} row ${row + 1}`
    const { text, ...columns } = withClassNames(plainOf(record), features)
    const fields = { split, ...(mediaType ? { mediaType } : {}), ...columns }
    const content =
      media === undefined
        ? { text: typeof text === 'object' ? '' : String(text ?? '') }
        : { bytes: () => cells.bytes(file, media, row) }
    return labeledRow({ id: where, ...fields }, content, where)
  })
}

const isMedia = ({ members }: ParquetColumn) => members.includes('bytes') && members.includes('path')

/** Whole numbers of 64 bits come as bigint, and texts that are not marked as such as bytes. */
function plainOf(record: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).map(([column, value]) => [column, plainValue(value)]))
}

function plainValue(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value)
  return value instanceof Uint8Array && isUtf8(value) ? Buffer.from(value).toString('utf8') : value
}

function splitOf(name: string): string {
  const [, shard] = SHARD.exec(path.basename(name)) ?? []
  const inFolder = path.basename(path.dirname(name))
  return shard ?? (['', '.', 'data'].includes(inFolder) ? UNSTATED : inFolder)
}

/** Row groups that are kept unpacked: rows are scored in their order, several at a time. */
const MAX_GROUPS = 2

/** The media in parquet files, unpacked a row group at a time, so that memory does not grow with the data. */
export class MediaCells {
  readonly #groups = new LRUCache<string, Promise<unknown[]>>({ max: MAX_GROUPS })

  /** Bytes of one cell. @throws AttestdError lab-data-invalid */
  async bytes(file: ParquetFile, column: string, row: number): Promise<Uint8Array> {
    const { group, nth } = file.placeOf(row)
    const cells = await this.#group(file, column, group)
    const cell = cells[nth] as { readonly bytes?: unknown } | null | undefined
    if (cell?.bytes instanceof Uint8Array) return cell.bytes
    throw new AttestdError('lab-data-invalid', `${file.file} row ${row + 1}: ${column} holds no bytes.`)
  }

  #group(file: ParquetFile, column: string, group: number): Promise<unknown[]> {
    const key = `${file.file}\n${group}`
    const found = this.#groups.get(key) ?? file.group(column, group)
    this.#groups.set(key, found)
    return found
  }
}
