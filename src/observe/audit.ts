import fs from 'node:fs/promises'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Clock } from '../core/clock.js'
import { isTorn } from '../core/files.js'
import type { Log } from '../core/log.js'
import { cleanLine, jsonIn } from '../core/text.js'
import { SAFE_METHODS } from './http-access.js'

/** What a person did to a daemon or its queue. */
export interface AuditAction {
  /** User of the console, or of the operating system; `signal` for SIGHUP. */
  readonly who: string
  readonly by: 'board' | 'console' | 'verb' | 'signal'
  /** Such as `pause`, `retry`, `reload`; of the board method and path. */
  readonly action: string
  /** What it was given, such as a queue, job ids or detectors; null where nothing. */
  readonly what: unknown
  /** `done`, what it returned, or why it failed. */
  readonly result: unknown
}

/** Keeps what people did. */
export interface Audit {
  /** Returns at once; a file that cannot be written costs its line and a warning. */
  record(action: AuditAction): void
  /** Resolves when every line that was begun is written. */
  flush(): Promise<void>
}

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = fs.constants
const MAX_WHO = 100
/** Longest text of what was given or returned, characters. */
const MAX_FACT = 1000

/** Writes each action as a log line with `audit: true`, and as a line of JSON at the end of a file that nothing removes. */
export function createAudit(
  file: string,
  { clock, log }: { readonly clock: Pick<Clock, 'now'>; readonly log: Log },
): Audit {
  let last = Promise.resolve()
  return {
    record({ action, by, result, what, who }) {
      const facts = {
        who: cleanLine(who, MAX_WHO),
        by,
        action: cleanLine(action),
        what: short(what),
        result: short(result),
      }
      log.info({ audit: true, ...facts }, 'operator action recorded')
      const line = `${JSON.stringify({ at: new Date(clock.now()).toISOString(), ...facts })}\n`
      const flag = O_APPEND | O_CREAT | O_NOFOLLOW | O_WRONLY
      last = last
        .then(async () => fs.appendFile(file, (await isTorn(file)) ? `\n${line}` : line, { mode: 0o600, flag }))
        .catch((error) => log.warn({ reason: 'data-dir-unusable', err: error }, 'audit file was not written'))
    },
    flush: () => last,
  }
}

/** A fact as it is, or the beginning of its JSON where that is long. */
function short(fact: unknown): unknown {
  const text = JSON.stringify(fact) ?? 'null'
  return text.length > MAX_FACT ? cleanLine(text, MAX_FACT) : (fact ?? null)
}

/** Answers to requests that were not let in, which did nothing. */
const REFUSED: ReadonlySet<number> = new Set([401, 403, 405, 421, 429])

/** Records each write to the routes of this (encapsulated) instance with its answer. @param actionOf what the request asks for */
export function auditWrites(
  app: FastifyInstance,
  audit: Audit,
  {
    actionOf,
    by,
    userOf,
  }: {
    readonly by: AuditAction['by']
    readonly actionOf: (request: FastifyRequest) => string
    readonly userOf: (request: FastifyRequest) => string
  },
): void {
  app.addHook('onSend', async (request, { statusCode }, payload) => {
    if (!SAFE_METHODS.has(request.method) && !REFUSED.has(statusCode)) {
      const answer = typeof payload === 'string' ? parsed(payload) : null
      const result = answer ?? (statusCode < 400 ? 'done' : `HTTP ${statusCode}`)
      audit.record({ who: userOf(request), by, action: actionOf(request), what: request.body ?? null, result })
    }
    return payload
  })
}

function parsed(text: string): unknown {
  const value = jsonIn(text)
  return value === undefined ? text || null : value
}
