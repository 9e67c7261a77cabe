import { describe, expect, it, vi } from 'vitest'
import { fleetLines } from '../../src/cli/fleet-text.js'
import type { FleetDaemon, FleetState } from '../../src/fleet/fleet-state.js'
import { daemonOf } from '../support/fleet-cards.js'

const fleetText = (fleet: FleetState) => fleetLines(fleet).join('\n')
const DIGEST = 'abcdef0123456789'.repeat(4)

describe('the fleet for people', () => {
  const daemon = (change: Partial<FleetDaemon> = {}) =>
    daemonOf({
      roles: ['intake', 'analyze'],
      lastSeenMs: 400,
      detectors: [{ id: 'tiny', version: '1.0.0', digest: DIGEST, shadow: false }],
      jobsPerSecond: { analyze: 1.25, submit: null },
      reasons: ['stake-low', 'stream-ended'],
      ...change,
    })
  const fleet = (change: Partial<FleetState> = {}): FleetState => ({
    daemons: [daemon()],
    mixed: { versions: [], detectors: [], fingerprints: [] },
    backlog: { rows: [], drainMs: { 'analyze-image': 0, submit: null }, missesAhead: 0, retrying: [], unserved: [] },
    ...change,
  })

  it('is one line per daemon, without rates of what it does not do', ({ onTestFinished }) => {
    vi.stubEnv('COLUMNS', '200')
    onTestFinished(() => void vi.unstubAllEnvs())
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

  it('fits 80 columns, and names the columns left out', () => {
    const lines = fleetText(fleet({ daemons: [daemon({ name: 'a-machine.example.org:12345' })] })).split('\n')
    for (const line of lines.slice(0, 3)) expect(line.length).toBeLessThanOrEqual(80)
    expect(lines[3]).toMatch(/^Left out at 80 columns: .*detectors/)
  })

  it('marks shadows, and names differences', ({ onTestFinished }) => {
    vi.stubEnv('COLUMNS', '200')
    onTestFinished(() => void vi.unstubAllEnvs())
    const shadow = { id: 's', version: '2', digest: DIGEST, shadow: true }
    const text = fleetText(
      fleet({
        daemons: [daemon({ detectors: [shadow] })],
        mixed: { versions: ['0.1.0', '0.2.0'], detectors: ['tiny'], fingerprints: [] },
      }),
    )
    expect(text).toContain('s@2 abcdef012345 shadow')
    expect(text).toContain('Mixed versions: 0.1.0, 0.2.0')
    expect(text).toContain('Not the same on all that analyze: tiny')
    expect(fleetText(fleet())).not.toMatch(/Mixed|Not the same/)
  })

  it('reports the backlog where there is one, and unknown values as unknown', () => {
    const rows = [
      { queue: 'analyze-image', turnaround: 'standard', waiting: 3, oldestMs: 65_000 },
      { queue: 'submit', turnaround: 'standard', waiting: 0, oldestMs: null },
    ]
    const unserved = [{ queue: 'analyze-text', waiting: 2 }]
    const drainMs = { 'analyze-image': 90_000, 'analyze-text': 0, submit: null }
    const retrying = [{ queue: 'analyze-image', reason: 'media-unreachable', jobs: 5, nextTryInMs: 12_000 }]
    const text = fleetText(fleet({ backlog: { rows, drainMs, missesAhead: 2, retrying, unserved } }))
    expect(text).toContain('Waiting for a retry in analyze-image: 5, failed with media-unreachable; the next in 12 s.')
    expect(text).toContain('analyze-image standard: 3 waiting, the oldest for 1 min 5 s')
    expect(text).not.toContain('submit standard')
    expect(text).toContain('time to drain: analyze-image 1 min 30 s, submit not known')
    expect(text).toContain('2 assets will miss the deadline at this rate.')
    expect(text).toContain('2 assets of kind text wait, and no daemon on this queue has a detector for text and a disk')
    expect(fleetText(fleet())).not.toMatch(/miss|no daemon/)
  })
})
