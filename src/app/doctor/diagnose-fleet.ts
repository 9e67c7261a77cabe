import type { Settings } from '../../config/settings.js'
import { isLoopback } from '../../core/net/loopback.js'
import { parseQueueUrl } from '../../queue/queue-url.js'
import type { Diagnosis } from './diagnosis.js'

/** The daemon works without a fleet secret; what is trusted then is named where Redis is not on this machine alone. */
export function diagnoseFleet({
  dataDir,
  fleetSecret,
  queueUrl,
}: Pick<Settings, 'dataDir' | 'fleetSecret' | 'queueUrl'>): Diagnosis[] {
  const queue = parseQueueUrl(queueUrl, dataDir)
  if (queue.kind === 'embedded') return []
  const check = 'fleet secret'
  if (fleetSecret !== undefined) return [{ check, outcome: 'ok', message: 'jobs on Redis must carry its code' }]
  if (queue.address.nodes.every(({ host }) => isLoopback(host)))
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
