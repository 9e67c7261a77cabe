import { describe, expect, it } from 'vitest'
import { EventSplitter } from '../../src/service/event-splitter.js'

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('utf8')

/** What comes out of the whole text, cut into chunks of `size` bytes. */
function split(input: string, size: number): string[] {
  const splitter = new EventSplitter(1_000)
  const bytes = Buffer.from(input)
  const events: string[] = []
  for (let at = 0; at < bytes.length; at += size) {
    for (const piece of splitter.push(bytes.subarray(at, at + size))) {
      if (piece.kind === 'event') events.push(text(piece.bytes))
    }
  }
  return events
}

describe.each([
  ['LF', '\n'],
  ['CRLF', '\r\n'],
  ['CR', '\r'],
])('lines that end in %s', (_, end) => {
  const lines = [': hello', '', 'event: ä', 'data: 顔', 'data: 2', '', ': between', 'data: 3', '', '', 'data: cut']
  const input = lines.join(end)

  it.each([1, 2, 3, 5, 7, 1_000])('come out as whole events from chunks of %d bytes', (size) => {
    const events = split(input, size).map((event) => event.replaceAll(/\r\n|\r/g, '\n').trimEnd())
    expect(events).toEqual(['event: ä\ndata: 顔\ndata: 2', 'data: 3'])
  })
})

it('distinguishes silence from events', () => {
  const pieces = new EventSplitter(100).push(Buffer.from(': ping\n\ndata: 1\n\n: ping\n'))
  expect(pieces.map((piece) => piece.kind)).toEqual(['silence', 'silence', 'event', 'silence'])
})

it.each([
  ['one line without an end', 'data: x'],
  ['lines without a blank one', 'data: x\n'],
])('refuses an event of %s beyond the cap', (_, part) => {
  const splitter = new EventSplitter(1_000)
  const push = () => {
    for (let at = 0; at < 1_000; at++) splitter.push(Buffer.from(part))
  }
  expect(push).toThrow(expect.objectContaining({ reason: 'event-too-large' }))
})

it('lets any number of comments and events pass below the cap', () => {
  const splitter = new EventSplitter(20)
  let events = 0
  for (let at = 0; at < 1_000; at++) {
    for (const piece of splitter.push(Buffer.from(': ping\ndata: 1\n\n'))) if (piece.kind === 'event') events++
  }
  expect(events).toBe(1_000)
})
