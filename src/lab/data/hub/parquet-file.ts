import zlib from 'node:zlib'
import {
  type AsyncBuffer,
  asyncBufferFromFile,
  type Compressors,
  type FileMetaData,
  parquetMetadataAsync,
  parquetReadObjects,
  parquetSchema,
} from 'hyparquet'
import { AttestdError, errorText } from '../../../core/errors.js'

const MIB = 1024 * 1024
/** Most bytes of what is unpacked at once: the media of one row group, or all other columns of a file. */
const MAX_UNPACKED_BYTES = 512 * MIB

/** Beside snappy, which the reader unpacks itself. */
const COMPRESSORS: Compressors = {
  GZIP: (input, length) => zlib.gunzipSync(input, { maxOutputLength: Math.max(1, length) }),
  BROTLI: (input, length) => zlib.brotliDecompressSync(input, { maxOutputLength: Math.max(1, length) }),
}

/** A top-level column; a struct has members. */
export interface ParquetColumn {
  readonly name: string
  readonly members: readonly string[]
}

/** A parquet file of which only what is asked for is read. Every failure is `lab-data-invalid`. */
export class ParquetFile {
  readonly file: string
  readonly columns: readonly ParquetColumn[]
  readonly #buffer: AsyncBuffer
  readonly #metadata: FileMetaData
  /** First row of each row group, and the number of all rows. */
  readonly #starts = [0]

  private constructor(file: string, buffer: AsyncBuffer, metadata: FileMetaData) {
    this.file = file
    this.#buffer = buffer
    this.#metadata = metadata
    this.columns = parquetSchema(metadata).children.map(({ children, element }) => ({
      name: element.name,
      members: children.map((child) => child.element.name),
    }))
    for (const { num_rows: rows } of metadata.row_groups) this.#starts.push((this.#starts.at(-1) ?? 0) + Number(rows))
  }

  /** Reads its last bytes alone. */
  static async open(file: string): Promise<ParquetFile> {
    return asParquet(file, async () => {
      const buffer = await asyncBufferFromFile(file)
      return new ParquetFile(file, buffer, await parquetMetadataAsync(buffer))
    })
  }

  /** Value of a key that its writer left; undefined where it has none. */
  note(key: string): string | undefined {
    return this.#metadata.key_value_metadata?.find((one) => one.key === key)?.value
  }

  /** All rows with some of the columns. */
  records(columns: readonly string[]): Promise<Record<string, unknown>[]> {
    return this.#read(columns, 0, this.#metadata.row_groups.length)
  }

  placeOf(row: number): { group: number; nth: number } {
    const group = this.#starts.findLastIndex((start) => start <= row)
    if (group < this.#metadata.row_groups.length) return { group, nth: row - (this.#starts[group] ?? 0) }
    throw new AttestdError('lab-data-invalid', `${this.file} has no row ${row + 1}.`)
  }

  async group(column: string, group: number): Promise<unknown[]> {
    return (await this.#read([column], group, group + 1)).map((record) => record[column])
  }

  /** @param groups from the first row group to before the other */
  async #read(columns: readonly string[], ...groups: [from: number, to: number]): Promise<Record<string, unknown>[]> {
    const [rowStart, rowEnd] = groups.map((group) => this.#starts[group] ?? 0) as [number, number]
    if (columns.length === 0) return Array.from({ length: rowEnd - rowStart }, () => ({}))
    const bytes = this.#metadata.row_groups
      .slice(...groups)
      .reduce((sum, group) => sum + unpackedBytes(group, columns), 0)
    if (bytes > MAX_UNPACKED_BYTES) {
      throw new AttestdError(
        'lab-data-invalid',
        `${this.file} unpacks to ${Math.round(bytes / MIB)} MiB at once, more than ${MAX_UNPACKED_BYTES / MIB}: write it with smaller row groups.`,
      )
    }
    const options = { file: this.#buffer, metadata: this.#metadata, columns: [...columns], rowStart, rowEnd }
    return asParquet(this.file, () => parquetReadObjects({ ...options, compressors: COMPRESSORS, utf8: false }))
  }
}

function unpackedBytes({ columns: chunks }: FileMetaData['row_groups'][number], columns: readonly string[]): number {
  const wanted = chunks.filter(({ meta_data: facts }) => columns.includes(facts?.path_in_schema[0] ?? ''))
  return wanted.reduce((sum, { meta_data: facts }) => sum + Number(facts?.total_uncompressed_size ?? 0), 0)
}

async function asParquet<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    throw new AttestdError('lab-data-invalid', `${file} cannot be read as parquet (${errorText(cause)}).`, { cause })
  }
}
