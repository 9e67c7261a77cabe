import { describe, expect, it } from 'vitest'
import { missesText } from '../../../src/fleet/backlog-text.js'
import type { FleetDaemon, FleetState } from '../../../src/fleet/fleet-state.js'
import { fleetSection } from '../../../src/observe/console/fleet-section.js'
import { daemonOf } from '../../support/fleet-cards.js'
import { textsOfClass, visibleText } from './visible-text.js'

const DAEMON = daemonOf({
  name: 'machine:8780',
  pid: 77,
  roles: ['intake', 'analyze'],
  lastSeenMs: 65_000,
  detectors: [{ id: 'image', version: '1.0.0', digest: 'abcdef0123456789', shadow: false }],
  jobsPerSecond: { analyze: 1.25, submit: 0 },
})
const IDLE: FleetState = {
  daemons: [DAEMON],
  mixed: { versions: [], detectors: [], fingerprints: [] },
  backlog: { rows: [], drainMs: { 'analyze-image': 0, submit: 0 }, missesAhead: 0, retrying: [], unserved: [] },
}
const shown = (fields: Partial<FleetDaemon>) => fleetSection({ ...IDLE, daemons: [{ ...DAEMON, ...fields }] })
const backlog = (fields: Partial<FleetState['backlog']>) =>
  fleetSection({ ...IDLE, backlog: { ...IDLE.backlog, ...fields } })

describe('a daemon', () => {
  it('shows its name, process, roles, version, detectors and pace', () => {
    const text = visibleText(fleetSection(IDLE))
    for (const part of ['machine:8780 process 77', 'intake + analyze', '0.1.0', 'image 1.0.0, abcdef012345'])
      expect(text).toContain(part)
    expect(text).toContain('analyze 1.3, submit 0.0')
    expect(text).not.toContain('abcdef0123456')
  })

  it.each([
    ['alive', 'ok', 'alive'],
    ['stopping', 'warn', 'stopping, last seen 1 min 5 s ago'],
    ['lost', 'bad', 'lost, last seen 1 min 5 s ago'],
  ] as const)('that is %s', (state, tone, text) => {
    expect(textsOfClass(shown({ state }), tone)).toEqual([text])
  })

  it('shows no pace of a queue that it does not work on', () => {
    expect(textsOfClass(shown({ jobsPerSecond: { analyze: null, submit: 2 } }), 'line')).toEqual(['submit 2.0'])
    expect(textsOfClass(shown({ jobsPerSecond: { analyze: null, submit: null } }), 'line')).toEqual(['–'])
  })

  it('shows every reason why it is not ready', () => {
    expect(textsOfClass(shown({ reasons: ['stake-low', 'clock-off'] }), 'bad')).toEqual(['stake-low', 'clock-off'])
  })

  it('marks a shadow detector, and shows a dash where there is none', () => {
    const shadow = { id: 'next', version: '2.0.0', digest: '0'.repeat(64), shadow: true }
    expect(visibleText(shown({ detectors: [...DAEMON.detectors, shadow] }))).toContain(
      'image 1.0.0, abcdef012345 next 2.0.0, 000000000000 (shadow)',
    )
    expect(visibleText(shown({ detectors: [] }))).toContain('0.1.0 –')
  })
})

describe('the fleet', () => {
  it('is shown as unknown while the queue is unreachable', () => {
    expect(textsOfClass(fleetSection(null), 'bad')).toEqual(['The queue does not answer.'])
  })

  it('warns of versions and detectors that differ, and only then', () => {
    expect(textsOfClass(fleetSection(IDLE), 'warn')).toEqual([])
    const mixed = { versions: ['0.1.0', '0.2.0'], detectors: ['image'], fingerprints: [] }
    expect(textsOfClass(fleetSection({ ...IDLE, mixed }), 'warn')).toEqual([
      'Mixed versions: 0.1.0, 0.2.0.',
      'Not the same on all that analyze: image.',
    ])
  })

  it('shows waiting jobs and their age, and no empty row', () => {
    const rows = [
      { queue: 'analyze', turnaround: 'standard', waiting: 0, oldestMs: null },
      { queue: 'analyze', turnaround: 'priority_5min', waiting: 3, oldestMs: 61_000 },
      { queue: 'submit', turnaround: 'standard', waiting: 1, oldestMs: 0 },
    ]
    expect(visibleText(backlog({ rows }))).toContain(
      'Waiting: analyze priority_5min: 3, the oldest for 1 min 1 s; submit standard: 1, the oldest for 0.0 s.',
    )
    expect(visibleText(backlog({ rows: rows.slice(0, 1) }))).toContain('Waiting: nothing.')
  })

  it.each([
    [{ 'analyze-image': 600_000, submit: null }, 'analyze-image 10 min 0 s, submit not known.'],
    [{ 'analyze-image': null, submit: 0 }, 'analyze-image not known.'],
    [{ 'analyze-image': 0, submit: 0 }, 'no new job waits.'],
  ])('states the time to drain: %j', (drainMs, text) => {
    expect(visibleText(backlog({ drainMs }))).toContain(`Time to drain: ${text}`)
  })

  it.each([
    [0, []],
    [1, ['1 asset will miss the deadline at this rate.']],
    [2, ['2 assets will miss the deadline at this rate.']],
  ])('warns of %i assets that will be late', (missesAhead, lines) => {
    expect(textsOfClass(backlog({ missesAhead }), 'bad')).toEqual(lines)
    if (missesAhead > 0) expect(missesText(missesAhead)).toBe(lines[0])
  })
})
