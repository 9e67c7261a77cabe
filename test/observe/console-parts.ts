import { onTestFinished } from 'vitest'
import type { Clock } from '../../src/core/clock.js'
import { silentLog } from '../../src/core/log.js'
import { riskOfPercent } from '../../src/core/risk.js'
import type { DaemonState } from '../../src/fleet/daemon-state.js'
import type { FleetDaemon } from '../../src/fleet/fleet-state.js'
import { HISTORY_EVERY_MS, type HistoryPoint } from '../../src/fleet/history.js'
import type { AuditAction } from '../../src/observe/audit.js'
import { newControlToken } from '../../src/observe/control-file.js'
import type { Check } from '../../src/observe/health.js'
import { createHealth } from '../../src/observe/health.js'
import { type HttpServerOptions, startHttpServer } from '../../src/observe/http-server.js'
import { createRedactor } from '../../src/observe/redaction.js'
import { daemonOf } from '../support/fleet-cards.js'
import { ManualClock } from '../support/manual-clock.js'
import { newMetrics } from '../support/metric-lines.js'

export const NOW = Date.UTC(2026, 0, 1)
export const HOSTILE = `"><script>alert('x')</script><img src=x onerror=alert(1)>&`

/** A state with one row of each outcome, and text from outside that would like to be markup. */
export function sampleState(): DaemonState {
  const outcomes = ['accepted', 'confirmed', 'abstained', 'closed', 'failed'] as const
  const scored = (index: number) => index < 2
  return {
    version: '0.1.0',
    name: `machine-alive:8780${HOSTILE}`,
    commandFlags: ['--config', '/srv/attestd.yaml'],
    startedAt: NOW - 3_725_000,
    pid: 4242,
    roles: ['intake', 'analyze', 'submit'],
    service: 'https://service.example',
    queueEngine: 'embedded',
    draining: false,
    expectedShare: 0.5,
    selection: { setting: '', chosen: null },
    canaries: [],
    drift: [],
    doppelgangers: { scores: 0, lastAsset: null },
    queues: [
      { name: 'analyze-video_short', paused: false, waiting: 12, active: 2, delayed: 0, failed: 1, completed: 310 },
      { name: 'submit', paused: false, waiting: 0, active: 1, delayed: 3, failed: 0, completed: 298 },
    ],
    fleet: {
      daemons: [sampleDaemon('alive'), sampleDaemon('lost')],
      mixed: { versions: ['0.1.0', '0.2.0'], detectors: ['image-small'], fingerprints: [] },
      backlog: {
        rows: [
          { queue: 'analyze-image', turnaround: 'priority_5min', waiting: 14, oldestMs: 65_000 },
          { queue: 'analyze-image', turnaround: 'standard', waiting: 0, oldestMs: null },
        ],
        drainMs: { 'analyze-image': 600_000, submit: null },
        retrying: [],
        missesAhead: 14,
        unserved: [{ queue: 'analyze-text', waiting: 2 }],
      },
    },
    recent: outcomes.map((outcome, index) => ({
      at: NOW - index * 61_000,
      assetId: `asset/${index}/${HOSTILE}`,
      title: index === 0 ? HOSTILE : `Photo ${index}`,
      mediaType: 'image',
      outcome,
      risk: scored(index) || outcome === 'failed' ? riskOfPercent(12.345 + (index % 4) * 70) : null,
      algorithm: scored(index) || outcome === 'failed' ? 'image-small@1.0.0' : null,
      scoreId: outcome === 'accepted' ? 'score_01' : null,
      openToRecordMs: scored(index) ? 1234 : null,
      reason: scored(index) ? null : 'media-unsupported',
      ...(outcome === 'failed'
        ? { message: 'The service has another score of this key.', queue: 'submit' as const }
        : {}),
    })),
    stake: { stakedWei: '1999999999999999999', minStakeWei: '2000000000000000000', enough: false, reason: 'stake-low' },
    clock: { offsetMs: -3_600_123, errorBoundMs: 12, trusted: true, reason: 'clock-off' },
    stream: { connected: true, lastByteAgeMs: 420, reconnects: 2 },
    detectors: [
      {
        id: 'image-small',
        version: '1.0.0',
        title: 'Small image detector',
        mediaTypes: ['image'],
        digest: 'ab'.repeat(32),
        weight: 1,
        shadow: false,
      },
    ],
    detectorProcesses: { ready: 1, busy: 1, size: 2, caged: true },
    lastInferenceAt: NOW - 2500,
    settings: [{ name: 'ATTESTD_SIGNING_SECRET', value: '••••••', origin: 'environment' }],
  }
}

/** An hour with a gap and two detectors, the name of one from outside. */
export function sampleHistory(): HistoryPoint[] {
  return Array.from({ length: 360 }, (_, nth) => {
    const wave = (1 + Math.sin(nth / 20)) / 2
    const away = nth > 100 && nth < 120
    return {
      at: NOW - (359 - nth) * HISTORY_EVERY_MS,
      perSecond: away ? null : { analyze: 2 * wave, submit: 1.5 * wave },
      waiting: away ? null : { analyze: Math.round(80 * wave), submit: 3 },
      openToRecordMs: away || nth % 3 ? null : { median: 4000 * wave, longest: 9000 },
      abstained: away ? null : 0.25 * wave,
      risks: away ? {} : { 'image-small@1.0.0': riskOfPercent(40 + 20 * wave), [HOSTILE]: riskOfPercent(70) },
    }
  })
}

function sampleDaemon(state: FleetDaemon['state']): FleetDaemon {
  const detectors = [{ id: 'image-small', version: '1.0.0', digest: 'ab'.repeat(32), shadow: false }]
  return daemonOf({
    name: `machine-${state}:8780${HOSTILE}`,
    pid: 4242,
    roles: ['analyze', HOSTILE],
    state,
    lastSeenMs: state === 'lost' ? 130_000 : 400,
    detectors: [...detectors, { id: HOSTILE, version: HOSTILE, digest: HOSTILE, shadow: true }],
    jobsPerSecond: { analyze: state === 'lost' ? null : 1.25, submit: null },
    reasons: state === 'lost' ? [] : [HOSTILE],
  })
}

export type TestServerOptions = Partial<HttpServerOptions> & { checks?: Record<string, Check>; healthClock?: Clock }

/** Control handlers that have nothing to do. */
export const noControl: HttpServerOptions['control'] = {
  failed: async () => [],
  waiting: async () => [],
  retry: async () => 0,
  drain: async () => 0,
  pause: async () => [],
  resume: async () => [],
  reload: async () => [],
  rollback: async () => [],
}

/** A real server on a free port until the test ends, with handlers that record what they were asked. */
export async function startTestServer(options: TestServerOptions = {}) {
  const started = await startServer(options)
  onTestFinished(() => started.server.close())
  return started
}

/** The same for a caller that closes it. */
export async function startServer(options: TestServerOptions) {
  const health = createHealth({ clock: options.healthClock ?? new ManualClock(NOW) })
  for (const [name, check] of Object.entries(options.checks ?? {})) health.register(name, check)
  const asked: unknown[] = []
  const recorded: AuditAction[] = []
  const controlToken = newControlToken()
  const server = await startHttpServer({
    host: '127.0.0.1',
    port: 0,
    log: silentLog,
    audit: { record: (action) => recorded.push(action), flush: async () => {} },
    redact: createRedactor(['known-secret-value']),
    health,
    metrics: newMetrics(),
    state: sampleState,
    history: sampleHistory,
    clock: new ManualClock(NOW),
    queueNames: ['analyze', 'submit'],
    boardQueues: [],
    control: {
      failed: async (query) => [asked.push(['failed', query])],
      waiting: async (query) => [asked.push(['waiting', query])],
      retry: async (body) => asked.push(['retry', body]),
      drain: async (body) => asked.push(['drain', body]),
      pause: async (body) => [String(asked.push(['pause', body]))],
      resume: async (body) => [String(asked.push(['resume', body]))],
      reload: async (body) => ({ detectors: [asked.push(['reload', body])] }),
      rollback: async () => ({ detectors: [asked.push(['rollback', {}])] }),
    },
    controlToken,
    ...options,
  })
  return { server, asked, recorded, controlToken }
}
