import { BullEngine } from './bull-engine.js'
import { openEmbedded } from './embedded/open-embedded.js'
import type { QueueEngineOptions } from './engine-options.js'
import { parseQueueUrl } from './queue-url.js'
import type { QueueEngine } from './queues.js'
import { openRedis } from './redis/open-redis.js'
import { redisTarget } from './redis/redis-access.js'
import { keyPrefix } from './redis/redis-url.js'

/** Opens the engine of the URL. @throws setting-invalid, queue-in-use, queue-unreachable, data-dir-unusable, redis-* */
export async function openQueueEngine(given: QueueEngineOptions): Promise<QueueEngine> {
  const target = parseQueueUrl(given.url, given.dataDir)
  const options =
    target.kind === 'redis'
      ? { ...given, prefix: keyPrefix(target.address, given.prefix) }
      : { ...given, seal: undefined }
  const backing =
    target.kind === 'redis'
      ? await openRedis(redisTarget(target.address, options.redis ?? {}), options)
      : await openEmbedded(target.dir, options)
  const engine = new BullEngine(backing, options)
  try {
    await engine.ready()
    return engine
  } catch (error) {
    await engine.close()
    throw error
  }
}
