import { AttestdError } from '../core/errors.js'
import { cleanText } from '../core/text.js'

/** Causes of causes are followed this far; a longer chain adds nothing a person reads. */
const MAX_CAUSES = 5
/** Frames of a stack that are logged. */
const MAX_STACK_LINES = 12
/** Longest message of an error in a log line, UTF-16 units. */
const MAX_MESSAGE = 2000

/** A thrown value as plain facts for a log line or an answer. */
export interface ErrorFacts {
  readonly type: string
  readonly message: string
  readonly reason?: string
  readonly kind?: string
  readonly fix?: string
  readonly facts?: Readonly<Record<string, string | number | boolean>>
  readonly retryAfterMs?: number
  readonly ambiguous?: true
  /** Node's error code such as ECONNREFUSED. */
  readonly code?: string
  readonly stack?: readonly string[]
  readonly causes?: readonly { readonly type: string; readonly message: string; readonly code?: string }[]
}

/**
 * Reads any thrown value: reason, message, fix, facts and at most five causes. A stack is given only where the code
 * did not expect the error, since for a named reason the reason explains more.
 */
export function errorFacts(error: unknown): ErrorFacts {
  const own = oneError(error)
  const causes = causesOf(error).map(oneError)
  const expected = error instanceof AttestdError && error.reason !== 'internal-error'
  const stack = expected ? undefined : stackOf(error)
  return {
    ...own,
    ...(error instanceof AttestdError ? attestdFacts(error) : {}),
    ...(stack ? { stack } : {}),
    ...(causes.length > 0 ? { causes } : {}),
  }
}

/** An error for a line that a person reads: its message, the causes that add to it, and where it broke if that is all there is. */
export function errorLine({ causes = [], message, reason, stack }: ErrorFacts): { text: string; reason?: string } {
  const texts: string[] = []
  for (const text of [message, ...causes.map((cause) => cause.message)]) {
    if (text !== '' && !texts.some((one) => one.includes(text))) texts.push(text)
  }
  const text = [texts.join('; cause: '), ...(stack?.slice(0, 1) ?? [])].join(' ')
  return { text, ...(reason === undefined ? {} : { reason }) }
}

function attestdFacts(error: AttestdError): Partial<ErrorFacts> {
  const { reason, kind, fix, facts, retryAfterMs, ambiguous } = error
  return {
    reason,
    kind,
    ...(fix === undefined ? {} : { fix }),
    ...(Object.keys(facts).length > 0 ? { facts } : {}),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(ambiguous ? { ambiguous } : {}),
  }
}

function oneError(error: unknown): { type: string; message: string; code?: string } {
  if (!(error instanceof Error)) return { type: typeof error, message: cleanText(String(error), MAX_MESSAGE) }
  const code = (error as NodeJS.ErrnoException).code
  return {
    type: error.name,
    message: cleanText(error.message, MAX_MESSAGE),
    ...(typeof code === 'string' ? { code } : {}),
  }
}

function causesOf(error: unknown): unknown[] {
  const causes: unknown[] = []
  const open = nextCauses(error)
  const seen = new Set<unknown>([error])
  while (open.length > 0 && causes.length < MAX_CAUSES) {
    const cause = open.shift()
    if (seen.has(cause)) continue
    seen.add(cause)
    causes.push(cause)
    open.push(...nextCauses(cause))
  }
  return causes
}

function nextCauses(error: unknown): unknown[] {
  if (!(error instanceof Error)) return []
  const inner = error instanceof AggregateError ? error.errors.slice(0, MAX_CAUSES) : []
  return error.cause === undefined ? inner : [error.cause, ...inner]
}

/** The deepest stack is the one that shows where it broke. */
function stackOf(error: unknown): string[] | undefined {
  const stack = [error, ...causesOf(error)].findLast((each): each is Error => each instanceof Error)?.stack
  if (!stack) return undefined
  const frames = stack.split('\n').filter((line) => line.trimStart().startsWith('at '))
  return frames.slice(0, MAX_STACK_LINES).map((line) => line.trim())
}
