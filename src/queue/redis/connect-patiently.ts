import net from 'node:net'
import tls, { type ConnectionOptions } from 'node:tls'
import type { Clock } from '../../core/clock.js'
import { AttestdError } from '../../core/errors.js'
import { backoffMs } from '../../core/retry.js'
import { withinLimit } from '../../core/time-limit.js'
import { DEFAULT_START_WAIT_MS, type QueueEngineOptions } from '../engine-options.js'
import type { RedisTarget } from './redis-access.js'
import type { RedisClient } from './redis-connection.js'
import { redisTrouble } from './redis-refusal.js'
import type { RedisNode } from './redis-url.js'

/** What of the engine's options opens Redis. */
export type RedisOpenOptions = Pick<
  QueueEngineOptions,
  'prefix' | 'clock' | 'random' | 'log' | 'startWaitMs' | 'signal'
>

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
    try {
      await checkPorts(target, clock)
      // A fresh one for each try: one that was asked to disconnect while it had no socket would take its next loss for
      // one that we asked for, and never connect again.
      return await connectOnce(make(), clock)
    } catch (error) {
      const trouble = redisTrouble(error, target)
      const pauseMs = backoffMs(tries, START_BACKOFF, random)
      if (trouble.kind !== 'retry' || clock.monotonic() + pauseMs >= deadline) throw trouble
      if (tries === 1) log.warn({ redis: target.shown, err: trouble }, 'redis did not answer; retrying')
      await clock.sleep(pauseMs, signal)
    }
  }
}

/** One try to connect. ioredis reports the cause only by event and would go on by itself. @throws what went wrong */
async function connectOnce(connection: RedisClient, clock: Clock): Promise<RedisClient> {
  const reported = new Promise<never>((_, reject) => connection.once('error', reject))
  const connected = connection.connect().then(() => connection.ping())
  const late = () => {
    throw new Error(`no connection within ${TRY_MS} ms`)
  }
  try {
    await withinLimit(clock, TRY_MS, Promise.race([reported, connected]), late)
    return connection
  } catch (error) {
    // What it reports while it ends is of no interest.
    connection.on('error', () => {}).disconnect()
    throw error
  }
}

/** How long a port may take to answer, milliseconds: a plain Redis lets a TLS greeting wait for ever. */
const PROBE_MS = 2000
/** Codes of Node and OpenSSL for a certificate that one of both sides does not accept or misses. */
const CERTIFICATE = /CERT|SIGNATURE|ALTNAME|UNKNOWN_CA/

/**
 * Looks whether the ports of the URL speak TLS, or do not, as the URL states, and whether Redis accepts connections: ioredis
 * reports all of these as a time-out or a lost connection, like any outage. Nothing secret is sent.
 * @throws AttestdError queue-tls-mismatch, queue-certificate-refused, queue-unauthorized, queue-address-wrong; queue-unreachable
 *   where Redis has too many clients; a port that does not answer passes
 */
export async function checkPorts(target: RedisTarget, clock: Clock): Promise<void> {
  const problems = await Promise.all(target.nodes.map((node) => portProblem(node, target, clock)))
  const problem = problems.find((each) => each !== null)
  if (problem) throw problem
}

async function portProblem(node: RedisNode, target: RedisTarget, clock: Clock) {
  const { tlsOptions, shown } = target
  const failure = await probe(node, tlsOptions, clock)
  if (failure === null) return null
  if (TURNED_AWAY.test(failure.message)) return redisTrouble(failure, target)
  const port = `Port ${node.port} of ${node.host}`
  if (tlsOptions === null) {
    const withTls = await probe(node, { rejectUnauthorized: false }, clock)
    if (withTls !== null && !isAboutCertificate(withTls)) {
      if (failure.message !== OTHER_ANSWER) return null
      return new AttestdError('queue-address-wrong', `${port} answers, but not as Redis does.`, {
        fix: 'Name the port of Redis (6379 as a rule) in ATTESTD_QUEUE_URL.',
      })
    }
    return new AttestdError('queue-tls-mismatch', `${port} speaks TLS, but ${shown} does not.`)
  }
  if (isAboutCertificate(failure)) {
    const answer = isAlert(failure)
      ? 'Redis asks for a certificate of ours, or refuses the one it got'
      : failure.message
    return new AttestdError('queue-certificate-refused', `${port}: ${answer}.`, { cause: failure })
  }
  if ((await probe(node, null, clock)) !== null) return null
  return new AttestdError('queue-tls-mismatch', `${port} does not speak TLS, but ${shown} requires it.`)
}

const isAboutCertificate = (failure: NodeJS.ErrnoException): boolean => CERTIFICATE.test(failure.code ?? '')

/** What the other side states, where OpenSSL adds only its own line numbers. */
const isAlert = ({ code }: NodeJS.ErrnoException) => code?.includes('ALERT') ?? false

/** What speaks another protocol, such as a web server. */
const OTHER_ANSWER = 'no answer of a Redis'
/** What Redis sends before it reads anything, and then closes. */
const TURNED_AWAY = /DENIED .*?protected mode|ERR max number of clients reached/

/** Sends PING. @returns null where something like Redis answered, else what went wrong */
async function probe(node: RedisNode, options: ConnectionOptions | null, clock: Clock): Promise<Error | null> {
  const socket = options ? tls.connect({ ...node, ...options }) : net.connect(node)
  const answered = new Promise<Error | null>((resolve) => {
    socket.once(options ? 'secureConnect' : 'connect', () => socket.write('PING\r\n'))
    socket.once('data', (data) => resolve(problemIn(data.toString())))
    socket.on('error', resolve)
    socket.once('close', () => resolve(new Error('closed without an answer')))
  })
  try {
    return await withinLimit(clock, PROBE_MS, answered, () => new Error(`no answer within ${PROBE_MS} ms`))
  } finally {
    socket.destroy()
  }
}

function problemIn(answer: string): Error | null {
  const [turnedAway] = TURNED_AWAY.exec(answer) ?? []
  if (turnedAway !== undefined) return new Error(turnedAway)
  return /^[+-]/.test(answer) ? null : new Error(OTHER_ANSWER)
}
