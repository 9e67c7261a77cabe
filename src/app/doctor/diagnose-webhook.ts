import { randomUUID } from 'node:crypto'
import os from 'node:os'
import type { Settings } from '../../config/settings.js'
import { systemClock } from '../../core/clock.js'
import { silentLog } from '../../core/log.js'
import { Webhook } from '../../observe/alarms/webhook.js'
import { check, type Diagnosis, skipped } from './diagnosis.js'

/** The webhook for alarms. @param send whether a test message may be sent, which people see */
export async function diagnoseWebhook(settings: Settings, send: boolean): Promise<Diagnosis> {
  const name = 'webhook'
  const { webhookSecret: secret, webhookTemplate: template, webhookUrl: url } = settings
  if (url === undefined) return skipped(name, 'ATTESTD_WEBHOOK_URL is not set: nobody is called')
  if (!send) return skipped(name, 'set; attestd doctor --test-webhook sends a test message')
  const webhook = new Webhook({ url, secret, template, clock: systemClock, random: Math.random, log: silentLog })
  return check(name, async () => {
    const status = await webhook.deliver({
      id: randomUUID(),
      alarm: 'test',
      state: 'firing',
      summary: 'A test by attestd doctor.',
      at: systemClock.now(),
      machine: os.hostname(),
    })
    return `the receiver accepted a test message (HTTP ${status})${secret === undefined ? ', unsigned: ATTESTD_WEBHOOK_SECRET is not set' : ''}`
  })
}
