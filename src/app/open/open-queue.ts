import type { Settings } from '../../config/settings.js'
import { systemClock } from '../../core/clock.js'
import { silentLog } from '../../core/log.js'
import { FleetSeal } from '../../fleet/fleet-seal.js'
import { openQueueEngine } from '../../queue/engine.js'
import type { QueueEngineOptions } from '../../queue/engine-options.js'
import type { QueueEngine } from '../../queue/queues.js'

/** The queue engine of the settings. @throws AttestdError as `openQueueEngine` */
export function openQueue(settings: Settings, own: Partial<QueueEngineOptions> = {}): Promise<QueueEngine> {
  return openQueueEngine({
    url: settings.queueUrl,
    redis: {
      password: settings.queuePassword,
      sentinelPassword: settings.queueSentinelPassword,
      caFile: settings.queueTlsCa,
      certFile: settings.queueTlsCert,
      keyFile: settings.queueTlsKey,
    },
    dataDir: settings.dataDir,
    prefix: settings.queuePrefix,
    lockMs: settings.queueLockMs,
    fsync: settings.queueFsync,
    concurrency: { analyze: settings.analyzeConcurrency, submit: settings.submitConcurrency },
    aside: settings.fetchConnections,
    retryMaxMs: settings.retryMaxMs,
    clock: systemClock,
    random: Math.random,
    log: silentLog,
    seal: settings.fleetSecret === undefined ? undefined : new FleetSeal(settings.fleetSecret),
    ...own,
  })
}
