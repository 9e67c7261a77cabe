import { describe, expect, it } from 'vitest'
import { textVariants } from '../../../src/detect/text/text-reader.js'
import { cutWindows } from '../../../src/detect/text/windows.js'

const PLAN = { longest: 300, shortest: 60 }
const SENTENCES = Array.from({ length: 40 }, (_, n) => `Sentence ${n} is ${'very '.repeat(n % 7)}short.`)
const TEXT = SENTENCES.join(' ')

describe('cutWindows', () => {
  it('keeps a text that fits', () => {
    expect(cutWindows('One. Two.', PLAN)).toEqual([{ text: 'One. Two.', start: 0, end: 9 }])
  })

  it('covers the text, each window of whole sentences, none too long or short', () => {
    const windows = cutWindows(TEXT, PLAN)
    expect(windows.length).toBeGreaterThan(3)
    expect(windows.map(({ text }) => text).join(' ')).toBe(TEXT)
    for (const { text, start, end } of windows) {
      expect(TEXT.slice(start, end).trimEnd()).toBe(text)
      expect(text).toMatch(/^Sentence.*short\.$/)
      expect(end - start).toBeLessThanOrEqual(PLAN.longest)
      expect(end - start).toBeGreaterThanOrEqual(PLAN.shortest)
    }
  })

  it('counts characters, not UTF-16 units', () => {
    const windows = cutWindows('😀'.repeat(500), PLAN)
    expect(windows.map(({ start, end }) => [start, end])).toEqual([
      [0, 300],
      [300, 500],
    ])
    expect(windows[0]?.text).toBe('😀'.repeat(300))
  })
})

describe('textVariants', () => {
  it('drops the first sentence, the last one, and the marks', () => {
    expect(textVariants('One. "Two" - three. Three. Four.').map(({ text }) => text)).toEqual([
      '"Two" - three. Three. Four.',
      'One. "Two" - three. Three.',
      'One. Two, three. Three. Four.',
    ])
  })

  it('keeps the sentences of a text with few of them', () => {
    expect(textVariants('One. "Two".')).toEqual([{ name: 'commas for dashes, no quotes', text: 'One. Two.' }])
  })
})
