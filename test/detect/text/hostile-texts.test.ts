import { describe, expect, it } from 'vitest'
import { looksLikeCode } from '../../../src/detect/text/code.js'
import { MAX_TEXT_BYTES } from '../../../src/detect/text/decode.js'
import { normalizeText } from '../../../src/detect/text/normalize.js'
import { cutWindows } from '../../../src/detect/text/windows.js'

/** As much of a pattern as the largest text that is read holds. */
const filled = (pattern: string) => pattern.repeat(Math.ceil(MAX_TEXT_BYTES / Buffer.byteLength(pattern)))

/** Each of these took 10 s to 3 min and takes a fraction of one now: what a hang takes at least, ms of processor time. */
const HANG_MS = 8000

/** The result of work that does not hang, however busy the machine is. */
function soon<T>(work: () => T): T {
  const before = process.cpuUsage()
  const result = work()
  const { system, user } = process.cpuUsage(before)
  expect((system + user) / 1000).toBeLessThan(HANG_MS)
  return result
}

describe('costly texts', () => {
  it('are cut: a sentence of 2 MiB', () => {
    const text = filled('the word of ')
    const windows = soon(() => cutWindows(text, { longest: 2000, shortest: 180 }))
    expect(windows.at(-1)?.end).toBe(text.length)
    expect(windows.every(({ start, end }) => end - start <= 2000)).toBe(true)
  })

  it('have the marks on one letter put in order', () => {
    const marked = soon(() => normalizeText(`so e${filled('\u0301\u0316')} it ends`))
    expect(marked).toMatch(/^so .{1,200} it ends$/u)
    expect(normalizeText(`a${'\u0316\u0301'.repeat(20)}`)).toBe(`a${'\u0316\u0301'.repeat(20)}`.normalize('NFC'))
  })

  it('are searched for code in lines of open brackets and spaces', () => {
    const text = filled(`${'a('.repeat(80)})${' '.repeat(100)}x\n`)
    expect(soon(() => looksLikeCode(text))).toBe(false)
  })
})
