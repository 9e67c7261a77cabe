import { createHash } from 'node:crypto'
import fs from 'node:fs'
import { Tokenizer } from '@huggingface/tokenizers'
import { describe, expect, it } from 'vitest'
import { countNgrams, type NgramPlan } from '../../../src/detect/text/ngram-features.js'
import { normalizeText } from '../../../src/detect/text/normalize.js'
import { styleMeasures } from '../../../src/detect/text/style-features.js'
import { cutWindows } from '../../../src/detect/text/windows.js'

interface Vectors {
  plan: NgramPlan
  normalized: { raw: string; text: string }[]
  features: { text: string; ngrams: { entries: number; first: number[]; sha256: string }; style: number[] }[]
  tokens: { text: string; ids: string }[]
  windows: { text: string; longest: number; shortest: number; ends: number[] }[]
}

const readJson = (file: string) => JSON.parse(fs.readFileSync(file, 'utf8'))
const vectors: Vectors = readJson('test/vectors/text-vectors.json')
const tokenizer = new Tokenizer(readJson('models/attestd-text/tokenizer.json'), {})

describe('the recipe and the daemon agree', () => {
  it('on enough strings', () => {
    expect(vectors.normalized.length).toBeGreaterThanOrEqual(200)
  })

  it.each(vectors.normalized)('normalize $raw', ({ raw, text }) => {
    expect(normalizeText(raw)).toBe(text)
  })

  it.each(vectors.features)('count the n-grams of $text', ({ text, ngrams }) => {
    const { indices, counts } = countNgrams(text, vectors.plan)
    const lines = Array.from(indices, (index, at) => `${index}:${counts[at]}\n`).join('')
    expect(Array.from(indices.slice(0, 4), Number)).toEqual(ngrams.first)
    expect(indices).toHaveLength(ngrams.entries)
    expect(createHash('sha256').update(lines).digest('hex')).toBe(ngrams.sha256)
  })

  it.each(vectors.features)('measure the style of $text', ({ text, style }) => {
    expect(Array.from(styleMeasures(text))).toEqual(style)
  })

  it.each(vectors.tokens)('cut $text into the tokens of attestd-text', ({ text, ids }) => {
    expect(tokenizer.encode(text).ids.join(' ')).toBe(ids)
  })

  it.each(vectors.windows)('cut $text.length units where the recipe does', ({ text, longest, shortest, ends }) => {
    expect(cutWindows(text, { longest, shortest }).map(({ end }) => end)).toEqual(ends)
  })
})
