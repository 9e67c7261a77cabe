import type { Clock, Random } from '../../core/clock.js'
import type { Log } from '../../core/log.js'
import { backoffMs } from '../../core/retry.js'
import { withinLimit } from '../../core/time-limit.js'
import { DEFAULT_START_WAIT_MS } from '../engine-options.js'
import { checkDoors } from './door-check.js'
import type { RedisTarget } from './redis-access.js'
import type { RedisClient } from './redis-connection.js'
import { redisTrouble, refusalOf } from './redis-refusal.js'

/** `prefix` is the first part of every key; `startWaitMs` is how long a Redis that does not answer is waited for, ms; `signal` ends that wait. */
export interface RedisOpenOptions {
  readonly prefix: string
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly startWaitMs?: number
  readonly signal?: AbortSignal | undefined
}

/** Pace of trying to connect at start. */
const START_BACKOFF = { baseMs: 250, maxMs: 4000 }
/** One try may take so long, milliseconds: a cluster without slots lets it wait for ever. */
const TRY_MS = 12_000

/**
 * The first connection to Redis, waiting for one that is still starting.
 * @throws AttestdError queue-unreachable after `startWaitMs`; at once the reason why Redis does not let us in
 */
export async function connectPatiently(
  make: () => RedisClient,
  target: RedisTarget,
  options: RedisOpenOptions,
): Promise<RedisClient> {
  const { clock, random, log, signal, startWaitMs = DEFAULT_START_WAIT_MS } = options
  const deadline = clock.monotonic() + startWaitMs
  for (let tries = 1; ; tries++) {
    await checkDoors(target, clock)
    // A fresh one for each try: one that was asked to disconnect while it had no socket would take its next loss for
    // a goodbye of ours and never connect again.
    const connection = make()
    const failure = await connectOnce(connection, clock)
    if (failure === null) return connection
    const pauseMs = backoffMs(tries, START_BACKOFF, random)
    if (refusalOf(failure, target) || clock.monotonic() + pauseMs >= deadline) throw redisTrouble(failure, target)
    if (tries === 1) log.warn({ redis: target.shown, err: failure }, 'redis did not answer; retrying')
    await clock.sleep(pauseMs, signal)
  }
}

/** One try to connect. ioredis reports the cause only by event and would go on by itself. @returns what went wrong */
async function connectOnce(connection: RedisClient, clock: Clock): Promise<unknown> {
  const reported = new Promise<never>((_, reject) => connection.once('error', reject))
  const connected = connection.connect().then(() => connection.ping())
  const late = () => {
    throw new Error(`no connection within ${TRY_MS} ms`)
  }
  try {
    await withinLimit(clock, TRY_MS, Promise.race([reported, connected]), late)
    return null
  } catch (error) {
    // What it reports while it ends is of no interest.
    connection.on('error', () => {}).disconnect()
    return error
  }
}
