import { describe, expect, it } from 'vitest'
import { EventMeter } from '../../src/service/event-meter.js'

describe.each([
  ['LF', '\n'],
  ['CRLF', '\r\n'],
  ['CR', '\r'],
])('lines that end in %s', (_, end) => {
  const lines = (...all: string[]) => Buffer.from(all.map((line) => line + end).join(''))

  it.each([1, 2, 3, 1000])('count until the blank line, in chunks of %d bytes', (size) => {
    const meter = new EventMeter()
    const counts: number[] = []
    const bytes = Buffer.concat([lines('', 'data: 1', 'x', ': comment', 'id: 2', ''), Buffer.from('da')])
    for (let at = 0; at < bytes.length; at += size) {
      meter.push(bytes.subarray(at, at + size))
      counts.push(meter.bytes)
    }
    expect(counts.at(-1)).toBe(2)
    // A comment counts while its line continues, and not after.
    if (size === 1) expect(Math.max(...counts)).toBe(7 + 1 + 9)
  })

  it('show where the first event ends', () => {
    const meter = new EventMeter()
    expect(meter.pushToEnd(lines('data: 1'))).toBe(-1)
    const rest = lines('data: 2', '', 'data: 3', '')
    const end = meter.pushToEnd(rest)
    expect(rest.subarray(end).toString()).toMatch(/^\n?data: 3/)
    expect(meter.bytes).toBe(0)
  })
})
