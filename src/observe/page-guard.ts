import basicAuth from '@fastify/basic-auth'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type AccessPolicy, hasBearer, sameSecret } from './http-access.js'

/** What opens the pages: the password by basic auth, or the token as a bearer; both are compared in constant time. */
export interface GuardOptions {
  readonly policy: AccessPolicy
  readonly password: string | undefined
  /** Token of this run; it opens the pages too, so that `attestd status` needs no password. */
  readonly token: string
}

/** Sentence for whoever asks for a page that is not served here. */
const REFUSED =
  'This page is served on an address that other machines can reach only if a password is set (ATTESTD_HTTP_PASSWORD). /healthz, /readyz and /metrics need none.'

/** Lets only those requests through to the routes of this (encapsulated) instance that the policy allows. */
export async function guardPages(app: FastifyInstance, { policy, password, token }: GuardOptions): Promise<void> {
  const isRight = (given: string) => password !== undefined && sameSecret(given, password)
  await app.register(basicAuth, {
    authenticate: { realm: 'attestd' },
    validate: async (_user, given) => {
      if (!isRight(given)) throw Object.assign(new Error('Wrong password.'), { statusCode: 401 })
    },
  })
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
