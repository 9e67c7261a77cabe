import os from 'node:os'
import type { Settings } from '../../config/settings.js'
import { AlarmWatch } from '../../observe/alarms/alarm-watch.js'
import { Webhook } from '../../observe/alarms/webhook.js'
import type { DaemonParts } from '../parts.js'

export function openAlarms(
  { webhookEveryMs: everyMs, webhookSecret: secret, webhookTemplate: template, webhookUrl: url }: Settings,
  { clock, metrics, log }: Pick<DaemonParts, 'clock' | 'metrics' | 'log'>,
): AlarmWatch {
  const onOutcome = (outcome: 'ok' | 'failed' | 'dropped') => metrics.webhookMessages.inc({ outcome })
  const sent = { secret, template, clock, random: Math.random, log, onOutcome }
  const webhook = url === undefined ? null : new Webhook({ url, ...sent })
  return new AlarmWatch({ clock, machine: os.hostname(), everyMs, webhook })
}
