import { describe, expect, it } from 'vitest'
import { decodeText } from '../../../src/detect/text/decode.js'
import { withReason } from '../../support/with-reason.js'

const LINE = 'The ferry left late, as it always did on Thursdays — and nobody minded.'

function utf16(text: string, bigEndian: boolean): Buffer {
  const bytes = Buffer.from(`\ufeff${text}`, 'utf16le')
  return bigEndian ? bytes.swap16() : bytes
}

describe('decodeText', () => {
  it.each([
    ['UTF-8', Buffer.from(LINE), 'utf-8'],
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${LINE}`), 'utf-8'],
    ['UTF-16, little end first', utf16(LINE, false), 'utf-16le'],
    ['UTF-16, big end first', utf16(LINE, true), 'utf-16be'],
  ])('reads %s', (_, bytes, encoding) => {
    expect(decodeText(bytes)).toEqual({ text: LINE, encoding })
  })

  it.each([
    ['no bytes', Buffer.alloc(0), 'media-empty'],
    ['UTF-16 without a mark', utf16(LINE, false).subarray(2), 'media-type-mismatch'],
    ['UTF-32', Buffer.from([0xff, 0xfe, 0, 0, 0x41, 0, 0, 0]), 'media-type-mismatch'],
    ['text with a NUL', Buffer.from(`${LINE}\0${LINE}`), 'media-type-mismatch'],
    [
      'random bytes',
      Buffer.from(Array.from({ length: 600 }, (_, n) => 1 + ((n * n * 31 + n * 7) % 255))),
      'media-type-mismatch',
    ],
    ['a JPEG header', Buffer.from([0xff, 0xd8, 0xff, 0xe0, 1, 0x10, 0x4a, 0x46]), 'media-type-mismatch'],
    ['control codes', Buffer.from(`${LINE}${'\x01\x02'.repeat(20)}`), 'media-type-mismatch'],
    ['Latin-1', Buffer.from(LINE.replace('ferry', 'Fähre'), 'latin1'), 'media-corrupt'],
    ['a character cut at the end', Buffer.from(`${LINE} é`).subarray(0, -1), 'media-corrupt'],
    ['UTF-16 with an odd end', utf16(LINE, false).subarray(0, -1), 'media-corrupt'],
    ['a lone surrogate in UTF-8', Buffer.concat([Buffer.from(LINE), Buffer.from([0xed, 0xa0, 0x80])]), 'media-corrupt'],
  ])('refuses %s', (_, bytes, reason) => {
    expect(() => decodeText(bytes)).toThrow(withReason(reason))
  })

  it.each([
    ['variation selectors', '\ufe0f'],
    ['tags', '\u{e0041}'],
    ['Hangul fillers', '\u3164'],
    ['joiners', '\u034f'],
    ['isolates', '\u2068\u2069'],
    ['annotation marks', '\ufff9'],
  ])('reads a text without %s, which are invisible', (_, unseen) => {
    const between = LINE.replaceAll('e', `e${unseen}`)
    expect(decodeText(Buffer.from(between)).text).toBe(LINE)
  })

  it('reads the empty pattern of braille as the space that people see', () => {
    expect(decodeText(Buffer.from(LINE.replaceAll(' ', '\u2800'))).text).toBe(LINE)
  })

  it('refuses a text that is shown in reverse', () => {
    const reverse = `\u202e${[...LINE].toReversed().join('')}\u202c`
    expect(() => decodeText(Buffer.from(reverse))).toThrow(withReason('media-unsupported'))
  })

  it.each([
    ['Cyrillic', 'а', 'е'],
    ['Greek', 'α', 'ο'],
    ['mathematical', '\u{1d41a}', '\u{1d41e}'],
    ['full-width', '\uff41', '\uff45'],
    ['Armenian', 'ա', 'օ'],
    ['phonetic', 'ɑ', 'ɛ'],
    ['small capital', 'ᴀ', 'ᴇ'],
    ['circled', 'ⓐ', 'ⓔ'],
    ['Roman numeral', 'ⅽ', 'ⅰ'],
    ['thinly spaced', 'a\u200a', 'e\u2009'],
  ])('refuses a text with %s letters in its Latin words', (_, a, e) => {
    const alike = LINE.replaceAll('a', a).replaceAll('e', e)
    expect(() => decodeText(Buffer.from(alike))).toThrow(withReason('media-unsupported'))
  })

  it('reads words of another script next to Latin ones, and some that mix them', () => {
    for (const other of [
      'Паром ушёл поздно, as he said.',
      'The α-particle and TνT, 5 µm wide.',
      `${LINE} ${LINE} Δx Δy`,
      'AI技術とJavaScriptを使う, Việt Nam, 5\u2009km, the 1ª, donʼt',
    ])
      expect(decodeText(Buffer.from(other)).text).toBe(other)
  })
})
