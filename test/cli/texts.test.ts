import { describe, expect, it } from 'vitest'
import type { FleetReply } from '../../src/app/verbs/fleet-reply.js'
import type { OrderAnswer } from '../../src/app/verbs/order-detectors.js'
import { fleetLines } from '../../src/cli/fleet-text.js'
import { orderLines } from '../../src/cli/models/order-text.js'
import { partText } from '../../src/cli/models/part-text.js'

const fleetText = (fleet: FleetReply) => fleetLines(fleet).join('\n')
const orderText = (answer: OrderAnswer) => orderLines(answer).join('\n')

const DIGEST = 'abcdef0123456789'.repeat(4)

describe('the fleet for people', () => {
  const daemon = (change: Partial<FleetReply['daemons'][number]> = {}): FleetReply['daemons'][number] => ({
    name: 'm:1',
    machine: 'm',
    pid: 1,
    version: '0.1.0',
    roles: ['intake', 'analyze'],
    state: 'alive',
    lastSeenMs: 400,
    detectors: [{ id: 'tiny', version: '1.0.0', digest: DIGEST, shadow: false }],
    jobsPerSecond: { analyze: 1.25, submit: null },
    reasons: ['stake-low', 'stream-ended'],
    ...change,
  })
  const fleet = (change: Partial<FleetReply> = {}): FleetReply => ({
    daemons: [daemon()],
    mixed: { versions: [], detectors: [] },
    backlog: { rows: [], drainMs: { analyze: 0, submit: null }, missesAhead: 0 },
    ...change,
  })

  it('is a line a daemon, without rates of what it does not do', () => {
    const [, , line] = fleetText(fleet()).split('\n')
    expect(line?.split(/ {2,}/)).toEqual([
      'm:1',
      'intake+analyze',
      'alive',
      '0.4 s ago',
      'analyze 1.3',
      '0.1.0',
      'tiny@1.0.0 abcdef012345',
      'stake-low stream-ended',
    ])
  })

  it('marks shadows, and says what differs', () => {
    const shadow = { id: 's', version: '2', digest: DIGEST, shadow: true }
    const text = fleetText(
      fleet({
        daemons: [daemon({ detectors: [shadow] })],
        mixed: { versions: ['0.1.0', '0.2.0'], detectors: ['tiny'] },
      }),
    )
    expect(text).toContain('s@2 abcdef012345 shadow')
    expect(text).toContain('Mixed versions: 0.1.0, 0.2.0')
    expect(text).toContain('Not the same on all that analyze: tiny')
    expect(fleetText(fleet())).not.toMatch(/Mixed|Not the same/)
  })

  it('states the work ahead where there is any, and what is not known as such', () => {
    const rows = [
      { queue: 'analyze', turnaround: 'standard', waiting: 3, oldestMs: 65_000 },
      { queue: 'submit', turnaround: 'standard', waiting: 0, oldestMs: null },
    ]
    const text = fleetText(fleet({ backlog: { rows, drainMs: { analyze: 90_000, submit: null }, missesAhead: 2 } }))
    expect(text).toContain('analyze standard: 3 waiting, the oldest for 1 min 5 s')
    expect(text).not.toContain('submit standard')
    expect(text).toContain('time to drain: analyze 1 min 30 s, submit not known')
    expect(text).toContain('2 assets will miss the deadline at this rate.')
    expect(fleetText(fleet())).not.toContain('miss')
  })
})

describe('what became of an order', () => {
  const detector = { id: 'a', version: '1', digest: DIGEST, mediaTypes: ['image'], shadow: false, weight: 2 }
  const done = { daemon: 'm:1', outcome: 'done', message: '', lost: [] }
  const failed = { daemon: 'm:2', outcome: 'manifest-invalid', message: 'no such file', lost: [] }

  it('on one daemon is what is in use', () => {
    const text = orderText({ detectors: [detector], daemons: [done] })
    expect(text).toMatch(/a +1 +image +scores, weight 2 +abcdef012345$/)
    expect(text).not.toContain('outcome')
  })

  it('on several says which of them did not carry it out', () => {
    const text = orderText({ detectors: [detector], daemons: [done, failed] })
    expect(text).toMatch(/m:1 +done/)
    expect(text).toMatch(/m:2 +manifest-invalid +no such file/)
  })

  it('asked of a daemon that does not analyze has no table of detectors', () => {
    expect(orderText({ detectors: [], daemons: [done] })).toBe('')
  })

  it('warns of media that lost its last detector', () => {
    const answer: OrderAnswer = { detectors: [], daemons: [done, { ...failed, lost: ['audio', 'text'] }] }
    expect(orderText(answer)).toContain('warning: m:2 has no detector for audio, text any more [detector-none]')
  })
})

it.each([
  [{ shadow: false, weight: 1 }, 'scores, weight 1'],
  [{ shadow: true, weight: 1 }, 'shadow'],
  [{ shadow: false, weight: 1, canary: 10 }, 'canary, 10 % of the assets'],
  [{ shadow: true, weight: 1, canary: 1 }, 'canary, 1 % of the assets'],
])('the part of %j reads %s', (part, text) => {
  expect(partText(part)).toBe(text)
})
