import { randomUUID } from 'node:crypto'
import type { Clock } from '../../core/clock.js'
import { toAttestdError } from '../../core/errors.js'
import type { Reason } from '../../core/reasons.js'
import type { Readiness } from '../health.js'
import type { Alarm } from './alarm.js'
import type { Webhook } from './webhook.js'

/** Reasons of readiness checks that a person is called for, whether the check fails or warns. */
const CALLED_FOR: readonly Reason[] = [
  'doppelganger',
  'stake-low',
  'service-forbidden',
  'service-unauthorized',
  'role-missing',
  'workers-missing',
]
/** A state that lasts less is not reported, ms: a worker that starts is missing for a moment. */
const LASTING_MS = 10_000
/** Reasons of checks for which a person is called only where they last: while they do, nothing is scored or submitted. */
const STUCK: readonly Reason[] = [
  'queue-unreachable',
  'disk-full',
  'data-dir-unusable',
  'detector-unavailable',
  'detector-unreachable',
  'clock-untrusted',
  'stake-unknown',
]
/** As long as the alert rules for them wait, ms: longer than a restart or a failover takes. */
const STUCK_MS = 120_000
/** How long the end of the process waits for what is being sent, ms. */
const LAST_MS = 5000

/** Where alarms go, and how seldom. */
export interface AlarmWatchOptions {
  readonly clock: Pick<Clock, 'monotonic' | 'now'>
  readonly machine: string
  /** Least time between two messages of one alarm, ms. */
  readonly everyMs: number
  /** Null where the settings name none: alarms then go nowhere. */
  readonly webhook: Pick<Webhook, 'flush' | 'send'> | null
}

interface Watched {
  /** What the last look found, and since when, monotonic ms. */
  isOn: boolean
  since: number
  /** What was sent last, and when, monotonic ms. */
  sent: Alarm['state']
  sentAt: number
}

/** Makes alarms out of readiness and missed deadlines: one when a state changed and lasts, at most one in `everyMs`. */
export class AlarmWatch {
  readonly #options: AlarmWatchOptions
  readonly #watched = new Map<Reason, Watched>()
  #missed = 0
  #missedAt = Number.NEGATIVE_INFINITY

  constructor(options: AlarmWatchOptions) {
    this.#options = options
  }

  /** An asset got its score too late, or none. */
  missed(): void {
    this.#missed += 1
  }

  /** Called with every look at readiness, about once a second. */
  look({ checks }: Readiness): void {
    for (const reason of [...CALLED_FOR, ...STUCK]) {
      const found = checks.find((check) => check.reason === reason)
      this.#note(reason, found ? found.message : null)
    }
    const { clock, everyMs } = this.#options
    if (this.#missed === 0 || clock.monotonic() - this.#missedAt < everyMs) return
    this.#send('deadline-missed', 'firing', `${this.#missed} assets got their score too late, or none.`)
    this.#missedAt = clock.monotonic()
    this.#missed = 0
  }

  /** The process ends over this error; there will be no further look. Waits a moment for the webhook. */
  async ending(error: unknown): Promise<void> {
    const { message, reason } = toAttestdError(error)
    if (CALLED_FOR.includes(reason) && this.#watched.get(reason)?.sent !== 'firing') {
      this.#send(reason, 'firing', message)
    }
    await this.close()
  }

  /** Waits a moment for what is being sent. */
  async close(): Promise<void> {
    await this.#options.webhook?.flush(LAST_MS)
  }

  #note(reason: Reason, message: string | null): void {
    const { clock, everyMs } = this.#options
    const now = clock.monotonic()
    const isOn = message !== null
    const watched = this.#watched.get(reason) ?? { isOn: false, since: now, sent: 'resolved', sentAt: now - everyMs }
    this.#watched.set(reason, watched)
    if (isOn !== watched.isOn) Object.assign(watched, { isOn, since: now })
    const state = isOn ? 'firing' : 'resolved'
    const lastingMs = isOn && STUCK.includes(reason) ? STUCK_MS : LASTING_MS
    if (state === watched.sent || now - watched.since < Math.min(lastingMs, everyMs)) return
    if (now - watched.sentAt < everyMs) return
    Object.assign(watched, { sent: state, sentAt: now })
    this.#send(reason, state, message ?? 'It is over.')
  }

  #send(alarm: Alarm['alarm'], state: Alarm['state'], summary: string): void {
    const { clock, machine, webhook } = this.#options
    webhook?.send({ id: randomUUID(), alarm, state, summary, at: clock.now(), machine })
  }
}
