import { BullEngine } from './bull-engine.js'
import { openEmbedded } from './embedded/open-embedded.js'
import type { QueueEngineOptions } from './engine-options.js'
import { parseQueueUrl } from './queue-url.js'
import type { QueueEngine } from './queues.js'
import { openRedis } from './redis/open-redis.js'

/**
 * Opens the queue engine that the URL asks for.
 * @throws AttestdError setting-invalid, queue-in-use, queue-misconfigured, queue-unreachable or data-dir-unusable
 */
export async function openQueueEngine(options: QueueEngineOptions): Promise<QueueEngine> {
  const target = parseQueueUrl(options.url, options.dataDir)
  const backing =
    target.kind === 'embedded' ? await openEmbedded(target.dir, options) : await openRedis(target, options)
  const engine = new BullEngine(backing, options)
  try {
    await engine.ready()
    return engine
  } catch (error) {
    await engine.close()
    throw error
  }
}
