import { expect, it } from 'vitest'
import { createThrottledLog } from '../../src/observe/throttled-log.js'
import { KeptLog } from '../support/kept-log.js'

function setUp() {
  let now = 0
  const log = new KeptLog()
  const throttled = createThrottledLog({ log, clock: { monotonic: () => now } })
  const at = (ms: number) => {
    now = ms
  }
  return { throttled, lines: log.lines, at }
}
const line = { reason: 'service-unreachable', message: 'No connection' } as const

it('writes the first line, counts the rest of the minute, then writes the count', () => {
  const { throttled, lines, at } = setUp()
  for (const ms of [0, 1000, 59_999, 60_000, 119_000]) {
    at(ms)
    throttled.trouble(line)
  }
  expect(lines).toEqual([
    { level: 'warn', reason: 'service-unreachable', message: 'No connection' },
    { level: 'warn', reason: 'service-unreachable', suppressed: 2, message: 'No connection' },
  ])
})

it('distinguishes outages by reason and subject', () => {
  const { throttled, lines } = setUp()
  throttled.trouble({ ...line, subject: 'gateway-a', level: 'error', facts: { status: 502 } })
  throttled.trouble({ ...line, subject: 'gateway-b' })
  throttled.trouble({ ...line, reason: 'service-timeout' })
  throttled.trouble({ ...line, subject: 'gateway-a' })
  expect(lines.map(({ level, reason, subject }) => [level, reason, subject])).toEqual([
    ['error', 'service-unreachable', 'gateway-a'],
    ['warn', 'service-unreachable', 'gateway-b'],
    ['warn', 'service-timeout', undefined],
  ])
})

it('forgets the oldest of too many outages', () => {
  const { throttled, lines } = setUp()
  for (let i = 0; i < 201; i += 1) throttled.trouble({ ...line, subject: `host-${i}` })
  throttled.trouble({ ...line, subject: 'host-200' })
  expect(lines).toHaveLength(201)
  throttled.trouble({ ...line, subject: 'host-0' })
  expect(lines).toHaveLength(202)
})

it('limits lines per minute by the severity, and counts the rest', () => {
  const { throttled, lines, at } = setUp()
  for (const ms of [0, 30_000, 60_000]) {
    at(ms)
    for (let i = 0; i < 1_000; i += 1) throttled.trouble({ ...line, linesPerMinute: 2, facts: { ms, i } })
  }
  expect(lines.map(({ ms, i, suppressed }) => [ms, i, suppressed])).toEqual([
    [0, 0, undefined],
    [0, 1, undefined],
    [60_000, 0, 1_998],
    [60_000, 1, undefined],
  ])
})
