import { randomUUID } from 'node:crypto'
import os from 'node:os'
import { type LoadedSettings, missing } from '../../config/load.js'
import { nameFix } from '../../config/setting-names.js'
import { SETTINGS, type SettingKey, type Settings } from '../../config/settings.js'
import { systemClock } from '../../core/clock.js'
import { silentLog } from '../../core/log.js'
import { isLoopback } from '../../core/net/loopback.js'
import { Webhook } from '../../observe/alarms/webhook.js'
import { parseQueueUrl } from '../../queue/queue-url.js'
import { check, type Diagnosis, failure, skipped } from './diagnosis.js'

/**
 * What `run` refuses to start without, variables that no setting has, which it ignores with a warning, and secrets that others on
 * this machine can read.
 * @param unset settings without a value
 */
export function diagnoseSettings(
  loaded: Pick<LoadedSettings, 'file' | 'openSecretFiles' | 'unknownEnv'>,
  unset: readonly SettingKey[],
): Diagnosis[] {
  const needed = unset.map((key) => {
    const { expected, fix, setting } = missing(SETTINGS[key], loaded.file)
    return failure('settings', `${setting} is not set; run needs it: ${expected}  [setting-missing]`, fix)
  })
  const names = loaded.unknownEnv.map((name) =>
    failure('settings', `Unknown setting ${name} (ignored)  [setting-unknown]`, nameFix(name)),
  )
  const files = loaded.openSecretFiles.map(({ file, mode }) =>
    failure('secrets', `${file} can be read by others (mode ${mode})  [setting-invalid]`, `Run chmod 600 ${file}.`),
  )
  const found = [...needed, ...names, ...files]
  if (found.length > 0) return found
  return [{ check: 'settings', outcome: 'ok', message: 'every name is known, no secret is open to others' }]
}

/** The daemon works without a fleet secret; what is trusted then is named where Redis is not on this machine alone. */
export function diagnoseFleet({
  dataDir,
  fleetSecret,
  queueUrl,
}: Pick<Settings, 'dataDir' | 'fleetSecret' | 'queueUrl'>): Diagnosis[] {
  const nodes = redisNodes(queueUrl, dataDir)
  if (nodes === null) return []
  const check = 'fleet secret'
  if (fleetSecret !== undefined) return [{ check, outcome: 'ok', message: 'jobs on Redis must carry its code' }]
  if (nodes.every(({ host }) => isLoopback(host)))
    return [{ check, outcome: 'skipped', message: 'not set, and Redis is on this machine' }]
  return [
    {
      check,
      outcome: 'skipped',
      message: 'not set: whoever can write to Redis can have any score signed and change the detectors of the fleet',
      fix: 'Set ATTESTD_FLEET_SECRET to the output of openssl rand -hex 32, the same on every daemon (docs/redis.md).',
    },
  ]
}

/** Null for the embedded queue, and for a URL that is none, which the check of the queue fails. */
function redisNodes(queueUrl: string, dataDir: string) {
  try {
    const queue = parseQueueUrl(queueUrl, dataDir)
    return queue.kind === 'embedded' ? null : queue.address.nodes
  } catch {
    return null
  }
}

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
