import { parquetWriteBuffer } from 'hyparquet-writer'

/** A row of images with its class. */
export interface Picture {
  readonly bytes: Uint8Array | null
  readonly path: string | null
  readonly label: number
}

/** A file of images as `datasets` writes it, two rows a row group. */
export function imageParquet(rows: readonly Picture[], names?: readonly string[]): Uint8Array {
  const features = { image: { _type: 'Image' }, label: { names, _type: 'ClassLabel' } }
  const kvMetadata = names ? [{ key: 'huggingface', value: JSON.stringify({ info: { features } }) }] : []
  const buffer = parquetWriteBuffer({
    columnData: [
      { name: 'image', data: rows.map(({ bytes, path: name }) => ({ bytes, path: name })) },
      { name: 'label', data: rows.map(({ label }) => BigInt(label)) },
      { name: 'generator', data: rows.map(() => 'sdxl') },
    ],
    schema: [
      { name: 'root', num_children: 3 },
      { name: 'image', num_children: 2, repetition_type: 'OPTIONAL' },
      { name: 'bytes', type: 'BYTE_ARRAY', repetition_type: 'OPTIONAL' },
      { name: 'path', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' },
      { name: 'label', type: 'INT64', repetition_type: 'OPTIONAL' },
      { name: 'generator', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' },
    ],
    rowGroupSize: 2,
    kvMetadata,
  })
  return new Uint8Array(buffer)
}
