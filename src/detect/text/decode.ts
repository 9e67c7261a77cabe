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

/** Reads UTF-8, or UTF-16 with its mark, as people see it. @throws media-empty, media-too-large, media-type-mismatch, media-unsupported, media-corrupt */
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
  return { text: asRead(text), encoding }
}

/** What is drawn as nothing (Unicode, Default_Ignorable_Code_Point; annotation marks), and so many cut each word for a detector. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu
/** Drawn as a space, but none by Unicode: the empty pattern of braille. */
const BLANK = /\u2800/g
/** Characters by which text is shown in the reverse of its order (Unicode Standard Annex 9). */
const OVERRIDE = /[\u202d\u202e]/
const LATIN = String.raw`[A-Za-z\u00c0-\u024f\u1e00-\u1eff]`
/** Letters that are drawn like those of `LATIN`: of other scripts, mathematical, in circles; phonetic, small capital, Roman or full-width ones. */
const ALIKE = String.raw`[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Cherokee}\p{Script=Armenian}\p{Script=Coptic}\p{Script=Lisu}\u{1d400}-\u{1d7ff}\u2460-\u24ff[\p{Script=Latin}--${LATIN}--[ªº]]]`
/** Spaces so narrow that the two letters around them seem to be neighbors. */
const NARROW = String.raw`[\u2006\u2008-\u200a]`
const MIXED = new RegExp(`${LATIN}${ALIKE}|${ALIKE}${LATIN}`, 'v')
const CUT = new RegExp(`${LATIN}${NARROW}(?=${LATIN})`, 'gv')
/** Of the words, this share may be of both; a formula, a trade name or a transcription is. */
const MAX_MIXED_SHARE = 0.02

/** The text as people read it. @throws AttestdError media-unsupported where they read another one than its letters are */
function asRead(text: string): string {
  if (OVERRIDE.test(text))
    throw new AttestdError('media-unsupported', 'The text is shown in another order than it is written.')
  const seen = text.replace(UNSEEN, '').replace(BLANK, ' ')
  const words = seen.match(/\S+/g) ?? []
  const mixed = words.filter((word) => MIXED.test(word)).length + (seen.match(CUT)?.length ?? 0)
  if (mixed > MAX_MIXED_SHARE * words.length && mixed > 2) {
    const what = `${mixed} words contain letters that only look like those of their alphabet, or spaces that are hardly seen.`
    throw new AttestdError('media-unsupported', what)
  }
  return seen
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
