import os from 'node:os'
import { z } from 'zod'
import type { Clock } from '../core/clock.js'
import { AttestdError, errorText } from '../core/errors.js'
import { isReason } from '../core/reasons.js'
import { startDeadline } from '../core/time-limit.js'
import type { ControlFile } from './control-file.js'

/** The daemon answers from its own queue; longer means that it is gone or stuck, milliseconds. */
const CONTROL_TIMEOUT_MS = 30_000

/** States who typed the verb, percent-encoded. */
export const USER_HEADER = 'x-attestd-user'

const problem = z.object({
  error: z.object({ reason: z.string().optional(), message: z.string(), fix: z.string().optional() }),
})

/** Calls a control route (or `/status`) of the daemon. @throws AttestdError its own reason, or `daemon-not-running` */
export async function callDaemon<T>(
  { url, token }: Pick<ControlFile, 'url' | 'token'>,
  call: {
    readonly method: 'GET' | 'POST'
    readonly path: string
    readonly body?: unknown
    readonly answer: z.ZodType<T>
    /** @default 30000 */
    readonly timeoutMs?: number
  },
  clock: Clock,
): Promise<T> {
  const deadline = startDeadline(clock, call.timeoutMs ?? CONTROL_TIMEOUT_MS)
  const { response, body } = await ask(new URL(call.path, url), token, call, deadline.signal).finally(deadline.clear)
  if (response.ok) return call.answer.parse(body)
  const unknown = { error: { message: `The daemon answered with ${response.status}.` } }
  const { fix, message, reason } = problem.catch(unknown).parse(body).error
  throw new AttestdError(reason && isReason(reason) ? reason : 'internal-error', message, { fix })
}

async function ask(
  url: URL,
  token: string,
  { method, body }: { method: string; body?: unknown },
  signal: AbortSignal,
): Promise<{ response: Response; body: unknown }> {
  try {
    const response = await fetch(url, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        [USER_HEADER]: encodeURIComponent(osUser()),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: body === undefined ? null : JSON.stringify(body),
      redirect: 'error',
      signal,
    })
    return { response, body: await response.json().catch(() => null) }
  } catch (error) {
    throw new AttestdError('daemon-not-running', `The daemon at ${url.origin} does not answer (${errorText(error)}).`, {
      cause: error,
    })
  }
}

/** The user of the operating system; one that has no entry there by its number. */
export function osUser(): string {
  try {
    return os.userInfo().username
  } catch {
    return `uid ${process.getuid?.()}`
  }
}

/** The user that a request states in its header. */
export function decodeUser(header: string | string[] | undefined): string {
  try {
    return decodeURIComponent(String(header ?? 'unknown'))
  } catch {
    return 'unknown'
  }
}
