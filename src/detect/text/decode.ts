import fs from 'node:fs/promises'
import { AttestdError } from '../../core/errors.js'

/** Largest text that is read, bytes; a novel has about 1 MiB. */
export const MAX_TEXT_BYTES = 2 * 1024 * 1024
/** Of the characters, this share may be control codes or unassigned before a file is taken for something else than text. */
const MAX_CONTROL_SHARE = 0.01
/** Broken characters in text of another encoding or with a cut end are rarer than this; in other kinds of files they are not. */
const MAX_BROKEN_SHARE = 0.1

const CONTROL = /[\p{Cc}\p{Cn}](?<![\t\n\v\f\r\x85])/gu

/** A text and the encoding it was in. */
export interface DecodedText {
  readonly text: string
  readonly encoding: 'utf-8' | 'utf-16le' | 'utf-16be'
}

/** Reads UTF-8, or UTF-16 with its mark. @throws media-empty, media-too-large, media-type-mismatch, media-corrupt */
export async function readTextFile(file: string): Promise<DecodedText> {
  const { size } = await fs.stat(file)
  if (size > MAX_TEXT_BYTES) {
    throw new AttestdError('media-too-large', `The text has ${size} bytes; at most ${MAX_TEXT_BYTES} are read.`)
  }
  return decodeText(await fs.readFile(file))
}

/** Decodes the bytes of a text file. @throws AttestdError as {@link readTextFile} */
export function decodeText(bytes: Uint8Array): DecodedText {
  if (bytes.length === 0) throw new AttestdError('media-empty', 'The text has no bytes.')
  const encoding = encodingOf(bytes)
  if (encoding === 'utf-8' && bytes.includes(0)) {
    throw new AttestdError('media-type-mismatch', 'The file has NUL bytes: it is not UTF-8 text.')
  }
  let text: string
  try {
    text = new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch (error) {
    throw notDecodable(bytes, encoding, error)
  }
  const controls = text.match(CONTROL)?.length ?? 0
  if (controls > MAX_CONTROL_SHARE * text.length) {
    throw new AttestdError('media-type-mismatch', `${controls} of ${text.length} characters are control codes.`)
  }
  return { text, encoding }
}

function notDecodable(bytes: Uint8Array, encoding: DecodedText['encoding'], cause: unknown): AttestdError {
  const lenient = new TextDecoder(encoding).decode(bytes)
  const broken = (lenient.match(/\ufffd/g)?.length ?? 0) + (lenient.match(CONTROL)?.length ?? 0)
  const name = encoding.toUpperCase()
  return broken > MAX_BROKEN_SHARE * lenient.length
    ? new AttestdError('media-type-mismatch', `The file is not text: ${broken} characters are not ${name}.`, { cause })
    : new AttestdError('media-corrupt', `The file is not valid ${name}: cut, or in another encoding.`, { cause })
}

/** By the byte order mark; UTF-32 has NUL bytes and is refused as not text. */
function encodingOf(bytes: Uint8Array): DecodedText['encoding'] {
  const [first, second, third, fourth] = bytes
  if (first === 0xff && second === 0xfe && (third !== 0 || fourth !== 0)) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  return 'utf-8'
}
