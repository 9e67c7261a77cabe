import os from 'node:os'
import { z } from 'zod'
import { AttestdError, errorText, isAbort } from '../core/errors.js'
import { isReason } from '../core/reasons.js'
import { type ControlFile, readControlFile } from '../observe/control-file.js'
import { USER_HEADER } from '../observe/control-routes.js'

/** A daemon answers from memory; one that takes longer, ms, is stuck. */
const ANSWER_MS = 5000
/** The daemon answers from its own queue; longer means that it is gone or stuck, ms. */
const CONTROL_TIMEOUT_MS = 30_000

interface Request {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: unknown
  /** @default 30000 */
  readonly timeoutMs?: number
}

/**
 * The daemon that runs on this data directory. It must answer to its token: the file may be left of one that was
 * killed, and its port and pid may belong to others by now.
 * @returns null where none runs
 */
export async function runningDaemon(dataDir: string): Promise<ControlFile | null> {
  const control = await readControlFile(dataDir)
  if (!control) return null
  try {
    const { status } = await ask(control, { method: 'GET', path: '/control/failed?limit=1', timeoutMs: ANSWER_MS })
    // A daemon whose queue is away reports it by its own error, and runs all the same.
    return status === 401 || status === 404 ? null : control
  } catch (error) {
    return error instanceof Error && error.name === 'TimeoutError' ? control : null
  }
}

const HANGS_FIX = 'See its log, then end its process and start it again.'

const problem = z.object({
  error: z.object({ reason: z.string().optional(), message: z.string(), fix: z.string().optional() }),
})

/** Calls a control route (or `/status`) of the daemon. @throws AttestdError its own reason, or `daemon-not-running` */
export async function callDaemon<T>(
  daemon: Pick<ControlFile, 'url' | 'token'>,
  { answer, ...request }: Request & { readonly answer: z.ZodType<T> },
): Promise<T> {
  const { origin } = new URL(daemon.url)
  const response = await ask(daemon, request).catch((cause: unknown) => {
    const isLate = isAbort(cause)
    const message = `The daemon at ${origin} does not answer (${isLate ? 'it accepts connections, but hangs' : errorText(cause)}).`
    throw new AttestdError('daemon-not-running', message, { cause, fix: isLate ? HANGS_FIX : undefined })
  })
  const body = await response.json().catch(() => null)
  const read = response.ok ? answer.safeParse(body) : null
  if (read?.success) return read.data
  const { data: stated } = problem.safeParse(body)
  if (!stated) {
    const message = `What answers at ${origin} (status ${response.status}) is not this daemon: another program has its port, or it is of another version.`
    throw new AttestdError('daemon-not-running', message, { cause: read?.error })
  }
  const { fix, message, reason } = stated.error
  throw new AttestdError(reason && isReason(reason) ? reason : 'internal-error', message, { fix })
}

function ask(
  { url, token }: Pick<ControlFile, 'url' | 'token'>,
  { method, path, body, timeoutMs = CONTROL_TIMEOUT_MS }: Request,
): Promise<Response> {
  return fetch(new URL(path, url), {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      [USER_HEADER]: encodeURIComponent(osUser()),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body: body === undefined ? null : JSON.stringify(body),
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  })
}

/** The user of the operating system; one that has no entry there by its number. */
export function osUser(): string {
  try {
    return os.userInfo().username
  } catch {
    return `uid ${process.getuid?.()}`
  }
}
