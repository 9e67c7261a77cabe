import { AttestdError, errorText } from '../../core/errors.js'
import type { Reason } from '../../core/reasons.js'
import { awayError, OUT_OF_RETRIES } from '../engine-error.js'
import type { RedisTarget } from './redis-access.js'

interface Refusal {
  readonly pattern: RegExp
  readonly reason: Reason
  /** What it means, after "Redis at ...". */
  meaning(target: RedisTarget): string
  readonly fix?: string
}

/** What Redis, its Sentinels and TLS answer where waiting does not help, by their own words. */
const REFUSALS: readonly Refusal[] = [
  {
    pattern: /protected mode/,
    reason: 'queue-unauthorized',
    meaning: () => 'accepts only programs on its own machine, because it has no password',
    fix: 'Set a password with requirepass in redis.conf, restart Redis, and set ATTESTD_QUEUE_PASSWORD.',
  },
  {
    pattern: /NOAUTH|WRONGPASS|NOPERM|invalid password|ERR AUTH|ACL failure|EXEC without MULTI|can't run this command/i,
    reason: 'queue-unauthorized',
    meaning: () => 'refused the user, the password or their rights',
  },
  {
    pattern: /certificate|self.signed|altnames/i,
    reason: 'queue-certificate-refused',
    meaning: () => 'has a certificate that attestd does not accept, or does not accept that of attestd',
  },
  {
    pattern: /wrong version number|SSL routines|packet length/i,
    reason: 'queue-tls-mismatch',
    meaning: () => 'does not speak TLS, but the URL requires it',
  },
  {
    pattern: /DB index|SELECT is not allowed/i,
    reason: 'queue-address-wrong',
    meaning: ({ db }) => `has no database ${db}`,
  },
  {
    pattern: /No such master/i,
    reason: 'queue-address-wrong',
    meaning: ({ primary }) => `has Sentinels without a primary named ${primary}`,
  },
  {
    pattern: /unknown command.{1,3}sentinel/i,
    reason: 'queue-address-wrong',
    meaning: () => 'is not a Sentinel',
  },
  {
    pattern: /cluster support disabled|unknown command.{1,3}cluster/i,
    reason: 'queue-address-wrong',
    meaning: () => 'is not a node of a cluster',
  },
  {
    pattern: /unknown command/i,
    reason: 'queue-misconfigured',
    meaning: () => 'lacks a command that attestd needs, which rename-command may have removed',
  },
]

/** @returns the refusal that the error of a connection means, null where Redis is only away */
export function refusalOf(error: unknown, target: RedisTarget): AttestdError | null {
  const text = redisErrorText(error)
  const found = REFUSALS.find(({ pattern }) => pattern.test(text))
  if (!found) return null
  const message = `Redis at ${target.shown} ${found.meaning(target)}: ${text}`
  return new AttestdError(found.reason, message, { cause: error, fix: found.fix })
}

/** The refusal or, for everything else, that Redis does not answer; an error that has a reason keeps it. */
export function redisTrouble(error: unknown, target: RedisTarget): AttestdError {
  if (error instanceof AttestdError) return error
  const away = () => awayError(`Redis at ${target.shown} does not answer: ${redisErrorText(error)}`, error)
  return refusalOf(error, target) ?? away()
}

/** The message with the one of the last node that was asked, which a cluster keeps apart; without ioredis' own plans. */
function redisErrorText(error: unknown): string {
  const { lastNodeError } = error as { lastNodeError?: unknown }
  const text = lastNodeError ? `${errorText(error)} ${errorText(lastNodeError)}` : errorText(error)
  return text.replace(/ Retrying from scratch after \d+ms\./, '').replace(OUT_OF_RETRIES, 'no connection was possible')
}
