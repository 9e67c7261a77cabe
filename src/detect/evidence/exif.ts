import ExifReader from 'exifreader'
import type { Evidence } from '../contract/measurement.js'
import { evidenceOf, isReadable, quote } from './evidence-of.js'

// oxlint-disable-next-line import/no-named-as-default-member -- a CommonJS bundle: Node sees no named exports in it
const { load } = ExifReader

/** Most bytes of an EXIF block that are read; a JPEG segment holds 64 KiB. */
const MAX_EXIF_BYTES = 256 * 1024
/** The marker before the TIFF structure in JPEG and WebP. */
const PREFIX = 'Exif\0\0'

/** What EXIF states about the making of a picture. @param block a TIFF structure, with or without `Exif\0\0` before it */
export function exifEvidence(block: Buffer): Evidence[] {
  const start = block.toString('latin1', 0, PREFIX.length) === PREFIX ? PREFIX.length : 0
  const { exif } = load(block.subarray(start, start + MAX_EXIF_BYTES), { expanded: true })
  const tags = new Map<string, { readonly value?: unknown; readonly description?: unknown }>(Object.entries(exif ?? {}))
  const tag = (name: string) => {
    const text = name === 'UserComment' ? commentText(tags.get(name)?.value) : tags.get(name)?.description
    return isReadable(text) ? [text] : []
  }
  const named = (name: string) => tag(name).map((text) => evidenceOf('exif', `exif ${name} ${quote(text)}`))
  const camera = [...tag('Make'), ...tag('Model')]
  return [
    ...named('Software'),
    ...(camera.length === 0 ? [] : [evidenceOf('exif', `exif camera ${quote(camera.join(' '))}`)]),
    ...named('ImageDescription'),
    ...named('UserComment'),
    ...named('Artist'),
  ]
}

/** UserComment holds its character code in eight bytes (EXIF 2.32, 4.6.5): UNICODE is UTF-16, big endian as most write it. */
function commentText(value: unknown): string {
  if (!Array.isArray(value)) return ''
  const bytes = Buffer.from(value as number[])
  const content = bytes.subarray(8)
  if (bytes.toString('latin1', 0, 7) !== 'UNICODE') return content.toString('utf8')
  const isBig = content.length > 1 && content[0] === 0
  return new TextDecoder(isBig ? 'utf-16be' : 'utf-16le').decode(content)
}
