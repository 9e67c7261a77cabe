import os from 'node:os'
import type { Settings } from '../../config/settings.js'
import type { Clock, Random } from '../../core/clock.js'
import { toAttestdError } from '../../core/errors.js'
import type { Log } from '../../core/log.js'
import { AlarmWatch } from '../../observe/alarms/alarm-watch.js'
import { Webhook } from '../../observe/alarms/webhook.js'
import type { Readiness } from '../../observe/health.js'
import type { Metrics } from '../../observe/metrics/metrics.js'

/** What may be an alarm; nothing of it waits for the webhook but the end of the process. */
export interface Alarms {
  /** An asset got its score too late, or none. */
  missed(): void
  look(readiness: Readiness): void
  /** The process ends over this error. Waits a moment for the webhook. */
  ending(error: unknown): Promise<void>
  close(): Promise<void>
}

/** How long the end of the process waits for what is being sent, ms. */
const LAST_MS = 5000
const NONE: Alarms = { missed: () => {}, look: () => {}, ending: async () => {}, close: async () => {} }

/** Alarms to the webhook of the settings, or to nowhere. */
export function openAlarms(
  settings: Settings,
  parts: { readonly clock: Clock; readonly random: Random; readonly log: Log; readonly metrics: Metrics },
): Alarms {
  const { webhookEveryMs: everyMs, webhookSecret: secret, webhookTemplate: template, webhookUrl: url } = settings
  if (url === undefined) return NONE
  const onOutcome = (outcome: 'ok' | 'failed' | 'dropped') => parts.metrics.webhookMessages.inc({ outcome })
  const webhook = new Webhook({ ...parts, url, secret, template, onOutcome })
  const watch = new AlarmWatch({
    clock: parts.clock,
    machine: os.hostname(),
    everyMs,
    send: (alarm) => webhook.send(alarm),
  })
  return {
    missed: () => watch.missed(),
    look: (readiness) => watch.look(readiness),
    async ending(error) {
      const { message, reason } = toAttestdError(error)
      watch.ending(reason, message)
      await webhook.flush(LAST_MS)
    },
    close: () => webhook.flush(LAST_MS),
  }
}
