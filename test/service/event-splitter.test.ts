import { describe, expect, it } from 'vitest'
import { EventSplitter, MAX_EVENT_LINES } from '../../src/service/event-splitter.js'

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('utf8')

/** What comes out of the whole text, cut into chunks of `size` bytes. */
function split(input: string, size: number): string[] {
  const splitter = new EventSplitter(1_000)
  const bytes = Buffer.from(input)
  const events: string[] = []
  let parts: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += size) {
    for (const piece of splitter.push(bytes.subarray(at, at + size))) {
      parts.push(piece.bytes)
      if (piece.kind === 'event') events.push(text(Buffer.concat(parts)))
      if (piece.kind !== 'part') parts = []
    }
  }
  return events
}

describe.each([
  ['LF', '\n'],
  ['CRLF', '\r\n'],
  ['CR', '\r'],
])('lines that end in %s', (_, end) => {
  const nothing = [': in between', 'x', 'retry: 0', 'datum: 1', 'eventual', 'i', ' data: 1', ':data: 1']
  const first = ['event: ä', 'data: 顔', ...nothing, 'data: 2', 'data', 'id:4', '']
  const lines = [': hello', '', ...first, ': between', 'data: 3', '', '', 'data: cut']
  const input = `\uFEFF${lines.join(end)}`

  it.each([1, 2, 3, 5, 7, 1_000])('come out as whole events from chunks of %d bytes', (size) => {
    expect(split(input, size)).toEqual(['event: ä\ndata: 顔\ndata: 2\ndata\nid:4\n\n', 'data: 3\n\n'])
  })
})

it('distinguishes silence from events', () => {
  const pieces = new EventSplitter(100).push(Buffer.from(`${': ping\n\n'.repeat(1_000)}data: 1\n\n: ping\ndata: 2\n`))
  expect(pieces.map((piece) => piece.kind)).toEqual(['silence', 'event', 'silence', 'part'])
})

it.each([
  ['one line without an end', 'data: x'],
  ['lines without a blank one', 'data: x\n'],
  ['comments', 'data: x\n: and on\n'],
])('refuses an event of %s beyond the cap', (_, part) => {
  const splitter = new EventSplitter(1_000)
  const push = () => {
    for (let at = 0; at < 1_000; at++) splitter.push(Buffer.from(part))
  }
  expect(push).toThrow(expect.objectContaining({ reason: 'event-too-large' }))
})

it('refuses an event of too many lines, whatever they say', () => {
  const push = (lines: string) => new EventSplitter(Number.MAX_SAFE_INTEGER).push(Buffer.from(lines))
  const tooMany = expect.objectContaining({ reason: 'event-too-large' })
  expect(push(`event: x\n${'a\n'.repeat(MAX_EVENT_LINES - 2)}\n`)).toHaveLength(1)
  expect(() => push(`event: x\n${'a\n'.repeat(MAX_EVENT_LINES)}`)).toThrow(tooMany)
  expect(() => push(`event: x\n${':\n'.repeat(MAX_EVENT_LINES)}`)).toThrow(tooMany)
  expect(push('a\n\n'.repeat(MAX_EVENT_LINES) + ':\n'.repeat(MAX_EVENT_LINES))).toHaveLength(MAX_EVENT_LINES + 1)
})

it('lets any number of comments and events pass below the cap', () => {
  const splitter = new EventSplitter(20)
  let events = 0
  for (let at = 0; at < 1_000; at++) {
    for (const piece of splitter.push(Buffer.from(': ping\ndata: 1\n\n'))) if (piece.kind === 'event') events++
  }
  expect(events).toBe(1_000)
})
