import type { Clock } from '../core/clock.js'
import type { ServiceClock } from './service-clock.js'

/**
 * What the age of kept records is judged by: the earlier of local and service time, so that a local clock that is months ahead
 * does not make everything old.
 * @param service null for a process that does not use the service
 * @returns Unix ms; null while the service is to state its time and does not
 */
export async function recordTime(
  clock: Pick<Clock, 'now'>,
  service: Pick<ServiceClock, 'ready' | 'stated'> | null,
  signal: AbortSignal,
): Promise<number | null> {
  if (service === null) return clock.now()
  await service.ready(signal).catch(() => {})
  const stated = service.stated()
  return stated && Math.min(clock.now(), stated.ms)
}
