import basicAuth from '@fastify/basic-auth'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { Clock } from '../core/clock.js'
import type { Log } from '../core/log.js'
import { type AccessPolicy, hasBearer, sameSecret } from './http-access.js'
import { createThrottledLog } from './throttled-log.js'

/** What opens the pages: the password by basic auth, or the token as a bearer; both are compared in constant time. */
export interface GuardOptions {
  readonly policy: AccessPolicy
  readonly password: string | undefined
  /** Token of this run; it opens the pages too, so that `attestd status` needs no password. */
  readonly token: string
  readonly clock: Pick<Clock, 'monotonic'>
  readonly log: Log
}

/** Sentence for whoever asks for a page that is not served here. */
const REFUSED =
  'This page is served on an address that other machines can reach only if a password is set (ATTESTD_HTTP_PASSWORD). /healthz, /readyz and /metrics need none.'

/** Lets only those requests through to the routes of this (encapsulated) instance that the policy allows. */
export async function guardPages(app: FastifyInstance, options: GuardOptions): Promise<void> {
  const { policy, token } = options
  await app.register(basicAuth, { authenticate: { realm: 'attestd' }, validate: passwordCheck(options) })
  const askPassword = app.basicAuth as (
    request: FastifyRequest,
    reply: FastifyReply,
    done: (error?: Error) => void,
  ) => void

  app.addHook('onRequest', (request, reply, done) => {
    if (policy.pages === 'open' || hasBearer(request.headers.authorization, token)) return done()
    if (policy.pages === 'password') return askPassword(request, reply, done)
    reply.code(403).type('text/plain; charset=utf-8').send(`${REFUSED}\n`)
  })
}

/** States nothing of passwords that come too fast after wrong ones, right or wrong. */
function passwordCheck({ clock, log, password }: GuardOptions) {
  const wrong = new WrongPasswords(clock)
  const { trouble } = createThrottledLog({ log, clock })
  return async (_user: string, given: string, { ip }: FastifyRequest, reply: FastifyReply) => {
    const waitMs = wrong.waitMs(ip)
    if (waitMs > 0) {
      reply.header('retry-after', Math.ceil(waitMs / 1000))
      throw Object.assign(new Error('Too many wrong passwords from this address.'), { statusCode: 429 })
    }
    if (password !== undefined && sameSecret(given, password)) return
    wrong.add(ip)
    trouble({ reason: 'console-password-wrong', subject: ip, message: 'console request had a wrong password' })
    throw Object.assign(new Error('Wrong password.'), { statusCode: 401 })
  }
}

/** Wrong passwords that an address may send at once. */
const AT_ONCE = 10
/** Time after which it may send one more, ms. */
const ONE_EVERY_MS = 10_000
/** Addresses that are remembered; of more, the one that was quiet for longest is forgotten. */
const MAX_ADDRESSES = 1000

/** Counts wrong passwords by address, so that nobody tries many. */
class WrongPasswords {
  readonly #clock: Pick<Clock, 'monotonic'>
  /** When all is forgiven, monotonic ms: each wrong password moves it by `ONE_EVERY_MS`. */
  readonly #forgivenAt = new LRUCache<string, number>({ max: MAX_ADDRESSES })

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock
  }

  /** How long an address has to wait before its next password is looked at, ms; 0 where it need not. */
  waitMs(address: string): number {
    const owed = (this.#forgivenAt.get(address) ?? 0) - this.#clock.monotonic()
    return Math.max(0, owed - (AT_ONCE - 1) * ONE_EVERY_MS)
  }

  add(address: string): void {
    const now = this.#clock.monotonic()
    const forgivenAt = Math.max(now, this.#forgivenAt.get(address) ?? 0) + ONE_EVERY_MS
    this.#forgivenAt.set(address, forgivenAt)
  }
}
