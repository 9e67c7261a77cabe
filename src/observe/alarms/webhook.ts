import { createHmac } from 'node:crypto'
import type { Clock, Random } from '../../core/clock.js'
import { AttestdError, errorCode } from '../../core/errors.js'
import type { Log } from '../../core/log.js'
import { backoffMs } from '../../core/retry.js'
import { startDeadline, withinLimit } from '../../core/time-limit.js'
import { type Alarm, alarmBody } from './alarm.js'

export interface WebhookOptions {
  /** May hold a key: never logged. */
  readonly url: string
  /** Signs the messages; absent: they are not signed. */
  readonly secret: string | undefined
  readonly template: 'json' | 'slack'
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** Called with the outcome of each message: `ok`, `failed` after all tries, or `dropped` where too many waited. */
  readonly onOutcome?: (outcome: 'ok' | 'failed' | 'dropped') => void
}

/** For one try, ms. */
const TRY_MS = 10_000
/** Tries for one message, about three minutes in all. */
const TRIES = 8
const BACKOFF = { baseMs: 1000, maxMs: 60_000 } as const
/** Messages that wait; the oldest are dropped. */
const MAX_WAITING = 50

/** Sends alarms one after the other, each until it is taken or was tried often enough. Nothing waits for it. */
export class Webhook {
  readonly #options: WebhookOptions
  readonly #waiting: Alarm[] = []
  #sending: Promise<void> | null = null

  constructor(options: WebhookOptions) {
    this.#options = options
  }

  /** Returns at once; never throws. */
  send(alarm: Alarm): void {
    this.#waiting.push(alarm)
    if (this.#waiting.length > MAX_WAITING) {
      this.#waiting.shift()
      this.#options.onOutcome?.('dropped')
    }
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = null
    })
  }

  /** Resolves when nothing waits any more, at the latest after `capMs`. */
  async flush(capMs: number): Promise<void> {
    await withinLimit(this.#options.clock, capMs, Promise.resolve(this.#sending), () => undefined)
  }

  /** One try. @returns the HTTP status of the receiver @throws AttestdError webhook-failed */
  async deliver(alarm: Alarm): Promise<number> {
    const { clock, secret, template, url } = this.#options
    const body = alarmBody(template, alarm)
    const timestamp = String(clock.now())
    const signature = secret && createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')
    const deadline = startDeadline(clock, TRY_MS)
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'user-agent': 'attestd',
          ...(signature ? { 'x-attestd-timestamp': timestamp, 'x-attestd-signature': `sha256=${signature}` } : {}),
        },
        body,
        redirect: 'manual',
        signal: deadline.signal,
      })
      await response.body?.cancel()
      if (response.ok) return response.status
      throw new AttestdError('webhook-failed', `The webhook answered with HTTP ${response.status}.`)
    } catch (error) {
      if (error instanceof AttestdError) throw error
      throw new AttestdError(
        'webhook-failed',
        `The webhook was not reached (${errorCode(error) ?? (error as Error).name}).`,
      )
    } finally {
      deadline.clear()
    }
  }

  async #sendAll(): Promise<void> {
    const { log, onOutcome } = this.#options
    for (let alarm = this.#waiting.shift(); alarm; alarm = this.#waiting.shift()) {
      const failure = await this.#tryOften(alarm)
      onOutcome?.(failure ? 'failed' : 'ok')
      const facts = { alarm: alarm.alarm, state: alarm.state }
      if (failure) log.error({ ...facts, reason: failure.reason, detail: failure.message }, 'alarm was not delivered')
      else log.info(facts, 'alarm was delivered')
    }
  }

  /** @returns why the last try failed; null where the message was taken */
  async #tryOften(alarm: Alarm): Promise<AttestdError | null> {
    const { clock, random } = this.#options
    for (let tries = 1; ; tries++) {
      try {
        await this.deliver(alarm)
        return null
      } catch (error) {
        if (tries === TRIES) return error as AttestdError
        await clock.sleep(backoffMs(tries, BACKOFF, random))
      }
    }
  }
}
