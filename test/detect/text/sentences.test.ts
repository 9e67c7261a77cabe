import { describe, expect, it } from 'vitest'
import { charactersIn } from '../../../src/detect/text/characters.js'
import { sentencePieces, sentencesOf } from '../../../src/detect/text/sentences.js'

const TEXTS: [string, string, string[]][] = [
  ['full stops', 'One. Two! Three?', ['One.', 'Two!', 'Three?']],
  ['closing quotes and brackets', 'He said "no." Then (he left.) And so.', ['He said "no', 'Then (he left', 'And so.']],
  ['dots without a space', 'See a.b and 3.14 there. Yes.', ['See a.b and 3.14 there.', 'Yes.']],
  ['Chinese, which has no spaces', '一句。两句！三句？', ['一句。', '两句！', '三句？']],
  ['Arabic and Urdu marks', 'هل؟ نعم۔ لا', ['هل؟', 'نعم۔', 'لا']],
  ['Hindi', 'एक। दो।', ['एक।', 'दो।']],
  ['no end', 'and on', ['and on']],
  ['nothing', '', []],
]

describe('sentences', () => {
  it.each(TEXTS)('end at %s', (_, text, sentences) => {
    const found = sentencesOf(text)
    expect(found).toHaveLength(sentences.length)
    for (const [index, sentence] of found.entries()) expect(sentence.startsWith(sentences[index] as string)).toBe(true)
  })

  it.each(TEXTS)('as pieces lose nothing: %s', (_, text, sentences) => {
    const pieces = sentencePieces(text)
    expect(pieces.join('')).toBe(text)
    expect(pieces.every((piece) => piece !== '')).toBe(true)
    expect(pieces).toHaveLength(sentences.length)
  })
})

it.each([
  ['', 0],
  ['abc', 3],
  ['é', 1],
  ['e\u0301', 2],
  ['😀a😀', 3],
  ['👨‍👩‍👧', 5],
])('%j has %i characters, as Python counts them', (text, count) => {
  expect(charactersIn(text)).toBe(count)
  expect([...text]).toHaveLength(count)
})
