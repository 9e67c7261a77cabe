import { describe, expect, it } from 'vitest'
import type { DaemonState } from '../../../src/fleet/daemon-state.js'
import { consolePage } from '../../../src/observe/console/console-page.js'
import { documentOf } from '../../../src/observe/console/history-document.js'
import type { Readiness } from '../../../src/observe/health.js'
import { NOW, sampleState } from '../console-parts.js'
import { visibleText } from './visible-text.js'

const READY: Readiness = { ready: true, checks: [{ name: 'queue', ok: true, message: 'The queue answers.' }] }
const VIEW = { history: documentOf([]), filter: { outcome: '', text: '' }, now: NOW } as const
const page = (state: Partial<DaemonState> = {}, readiness = READY) =>
  consolePage({ ...sampleState(), ...state }, readiness, VIEW)
const read = (state: Partial<DaemonState>) => visibleText(page(state).slice(page(state).indexOf('<body>')))

it.each([
  [true, false, 'ready', 'ok'],
  [false, false, 'not ready', 'bad'],
  [true, true, 'stopping', 'bad'],
  [false, true, 'stopping', 'bad'],
])('the state in the title and beside the name ready %s, draining %s: %s', (ready, draining, word, tone) => {
  const text = page({ draining }, { ...READY, ready })
  expect(text).toContain(`<title>attestd: ${word}</title>`)
  expect(text).toContain(`data-tone="${tone}">${word}</span>`)
})

describe('readiness', () => {
  it('marks each check, with its reason and fix', () => {
    const checks = [
      { name: 'queue', ok: true, message: 'It answers.' },
      { name: 'stake', ok: false, reason: 'stake-low', message: 'Too little.', fix: 'Top it up.' } as const,
    ]
    const text = visibleText(page({}, { ready: false, checks }))
    expect(text).toContain('✓ queue It answers. ✗ stake Too little. stake-low Top it up.')
  })

  it('shows a single check too', () => {
    expect(visibleText(page())).toContain('Readiness ✓ queue The queue answers.')
  })

  it('shows that the daemon starts while there is no check', () => {
    expect(visibleText(page({}, { ready: false, checks: [] }))).toContain('Readiness Starting.')
  })
})

describe('queues', () => {
  const queue = { name: 'analyze', paused: false, waiting: 1, active: 2, delayed: 3, failed: 0, completed: 5 }

  it('shows depths in the order of their headers', () => {
    expect(read({ queues: [queue] })).toContain('queue waiting active delayed failed done analyze 1 2 3 0 5')
  })

  it('marks failed jobs and a paused queue, and only those', () => {
    expect(page({ queues: [queue] })).toContain('<td class="num ">0</td>')
    const text = page({ queues: [{ ...queue, failed: 1, paused: true }] })
    expect(text).toContain('<td class="num bad">1</td>')
    expect(visibleText(text)).toContain('analyze paused')
  })
})

describe('stake, clock and stream', () => {
  it('are missing on a daemon that only analyzes; a daemon that only takes in assets shows the stream', () => {
    const nothing = { stake: null, clock: null, stream: null, doppelgangers: null }
    const analyzes = read({ ...nothing, roles: ['analyze'] })
    for (const word of ['Stake', 'Minimum', 'Clock', 'Stream']) expect(analyzes).not.toContain(word)
    const stream = { connected: true, lastByteAgeMs: 10, reconnects: 0 }
    const takesIn = read({ ...nothing, stream, roles: ['intake'] })
    expect(takesIn).toContain('Stream Stream connected')
    expect(takesIn).not.toContain('Stake')
  })

  const stake = { stakedWei: '3000000000000000000', minStakeWei: '2000000000000000000', enough: true, reason: null }
  const clock = { offsetMs: -12, errorBoundMs: 3, trusted: true, reason: null }

  it('shows enough stake without a warning', () => {
    const text = page({ stake })
    expect(text).toContain('<span class="ok">3 ether</span>')
    expect(visibleText(text)).toContain('Minimum 2 ether')
  })

  it('shows too little stake with its effect', () => {
    expect(read({ stake: { ...stake, enough: false, reason: 'stake-low' } })).toContain('Stake 3 ether stake-low')
  })

  it.each([
    [clock, 'Clock trusted Offset -12 ms ± 3 ms'],
    [{ ...clock, reason: 'clock-off' }, 'Clock local clock is off clock-off Offset'],
    [{ ...clock, trusted: false, reason: 'clock-unsure' }, 'Clock not trusted clock-unsure'],
    [{ ...clock, offsetMs: null }, 'Clock trusted Offset –'],
    [{ ...clock, errorBoundMs: null }, 'Offset -12 ms ± ?'],
    [null, 'Clock – Offset –'],
  ])('shows the clock %j', (shown, text) => {
    expect(read({ clock: shown })).toContain(text)
  })

  it.each([
    [{ connected: true, lastByteAgeMs: 400, reconnects: 2 }, 'Stream connected Last byte 0.4 s ago Reconnects 2'],
    [{ connected: false, lastByteAgeMs: null, reconnects: 0 }, 'Stream not connected Last byte – Reconnects 0'],
    [null, 'Stream – Last byte – Reconnects –'],
  ])('shows the stream %j', (stream, text) => {
    expect(read({ stream })).toContain(text)
  })

  it('shows that the stake was not read yet', () => {
    expect(read({ stake: null })).toContain('Stake not read yet Minimum –')
  })

  it.each([
    [null, /Foreign scores/, false],
    [{ scores: 0, lastAsset: null }, /Foreign scores none/, true],
    [{ scores: 2, lastAsset: 'asset-9' }, /Foreign scores 2 , the last for asset-9 doppelganger/, true],
  ])('shows foreign scores: %j', (doppelgangers, pattern, isShown) => {
    expect(pattern.test(read({ doppelgangers }))).toBe(isShown)
  })
})

describe('detectors', () => {
  const names = { id: 'image', version: '1.0.0', title: 'Images', mediaTypes: ['image'] }
  const detector = { ...names, digest: 'abc'.repeat(20), weight: 1, shadow: false }

  it('marks a shadow and a canary with its share', () => {
    expect(read({ detectors: [detector] })).toContain('Images image 1.0.0, abcabcabcabc image Processes')
    expect(read({ detectors: [{ ...detector, shadow: true }] })).toContain('image shadow Processes')
    expect(read({ detectors: [{ ...detector, canary: 10 }] })).toContain('image canary, 10 % Processes')
  })

  it('counts processes, and shows the time of the last inference', () => {
    const processes = { ready: 1, busy: 2, size: 3, caged: true }
    expect(read({ detectorProcesses: processes, lastInferenceAt: NOW - 2500 })).toContain(
      'Processes: 1 ready, 2 busy, of 3. Last inference: 2.5 s ago.',
    )
    expect(read({ detectorProcesses: null, lastInferenceAt: null })).toContain(
      'Processes: none. Last inference: none yet.',
    )
  })

  it('summarizes each shadow, and files that it left out', () => {
    const rows = [{ name: 'next@2', measured: 10, agreed: 9, wouldChange: 1, failed: 2 }]
    const line = 'Shadow next@2: 10 measured, 9 agree, 1 would have changed, 2 without a score.'
    expect(read({ shadows: { rows, dropped: 0 } })).toContain(line)
    expect(read({ shadows: { rows, dropped: 0 } })).not.toContain('skipped')
    expect(read({ shadows: { rows, dropped: 3 } })).toContain('3 files skipped in favor of other work.')
  })
})

it('shows the time of the page in UTC, and the uptime', () => {
  expect(read({})).toContain('As of 2026-01-01 00:00:00 UTC')
  expect(read({ startedAt: NOW - 90_000 })).toContain('up 1 min 30 s, process 4242')
})

it('counts the settings and shows each with its source', () => {
  const text = read({ settings: [{ name: 'ATTESTD_ROLES', value: 'intake', origin: 'default' }] })
  expect(text).toContain('1 in force ATTESTD_ROLES intake default')
})
