import type { MediaType } from '../../core/media-types.js'

/** One labeled file or text. */
export interface DataRow {
  /** As the index calls it: the path there, or the id or line of a text. */
  readonly id: string
  readonly fake: boolean
  /** Null where the index does not state; the package's own then. */
  readonly mediaType: MediaType | null
  /** All other columns of the index, as text: source, generator, kind, domain ... */
  readonly columns: Readonly<Record<string, string>>
  readonly content: RowContent
}

/** Where the bytes of a row are: in a file, in the index itself, or in a table that is read when they are asked for. */
export type RowContent = { readonly file: string } | { readonly text: string } | { bytes(): Promise<Uint8Array> }

/** What an index gives. */
export interface DataSet {
  /** Path of the index or folder, as it was given. */
  readonly from: string
  readonly rows: readonly DataRow[]
}
