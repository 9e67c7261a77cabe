import { AttestdError } from '../../../core/errors.js'
import type { ParquetFile } from './parquet-file.js'

/** Row groups that are kept unpacked: rows are scored in their order, several at a time. */
const MAX_GROUPS = 2

/** The media in parquet files, unpacked a row group at a time, so that memory does not grow with the data. */
export class MediaCells {
  readonly #groups = new Map<string, Promise<unknown[]>>()

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
    this.#groups.delete(key)
    this.#groups.set(key, found)
    const [oldest] = this.#groups.keys()
    if (this.#groups.size > MAX_GROUPS && oldest !== undefined) this.#groups.delete(oldest)
    return found
  }
}
