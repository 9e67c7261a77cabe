import type { Duplex } from 'node:stream'
import { jsonIn } from '../../core/text.js'

/** File descriptor by which a detector process and the daemon talk; Node's own channel ends the daemon over bytes that are no message. */
export const CHANNEL_FD = 3

/** Writes a value as a line of JSON. Where the other side is gone, nobody reads it. */
export const writeJsonLine = (channel: Duplex, value: unknown): boolean => channel.write(`${JSON.stringify(value)}\n`)

/**
 * Reads the values that the other side writes.
 * @param take called with each; with undefined for a line that is no JSON or too long
 * @param most longest line that is kept, UTF-16 units
 */
export function readJsonLines(channel: Duplex, take: (value: unknown) => void, most = Number.POSITIVE_INFINITY): void {
  let begun = ''
  channel.setEncoding('utf8')
  channel.on('data', (text: string) => {
    const lines = (begun + text).split('\n')
    begun = lines.pop() as string
    for (const line of lines) take(jsonIn(line))
    if (begun.length <= most) return
    begun = ''
    take(undefined)
  })
  // The end of the other side follows, which states more.
  channel.on('error', () => {})
}
