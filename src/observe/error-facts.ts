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
  readonly fix?: string | undefined
  readonly facts?: Readonly<Record<string, string | number | boolean>> | undefined
  readonly retryAfterMs?: number | undefined
  readonly ambiguous?: true | undefined
  /** Node's error code such as ECONNREFUSED. */
  readonly code?: string | undefined
  readonly stack?: readonly string[] | undefined
  readonly causes?: readonly Pick<ErrorFacts, 'type' | 'message' | 'code'>[] | undefined
}

/**
 * Reads any thrown value: reason, message, fix, facts and at most five causes. A stack is given only where the code
 * did not expect the error, since for a named reason the reason explains more.
 */
export function errorFacts(error: unknown): ErrorFacts {
  const causes = causesOf(error).map(oneError)
  const expected = error instanceof AttestdError && error.reason !== 'internal-error'
  return {
    ...oneError(error),
    ...(error instanceof AttestdError ? attestdFacts(error) : {}),
    stack: expected ? undefined : stackOf(error),
    causes: causes.length > 0 ? causes : undefined,
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
  const some = Object.keys(facts).length > 0
  return { reason, kind, fix, facts: some ? facts : undefined, retryAfterMs, ambiguous: ambiguous || undefined }
}

function oneError(error: unknown): Pick<ErrorFacts, 'type' | 'message' | 'code'> {
  if (!(error instanceof Error)) return { type: typeof error, message: cleanText(String(error), MAX_MESSAGE) }
  const code = (error as NodeJS.ErrnoException).code
  return {
    type: error.name,
    message: cleanText(error.message, MAX_MESSAGE),
    code: typeof code === 'string' ? code : undefined,
  }
}

/** The nearest first. */
function causesOf(error: unknown): unknown[] {
  const found = new Set([error])
  for (const each of found) {
    for (const cause of nextCauses(each)) if (found.size <= MAX_CAUSES) found.add(cause)
  }
  return [...found].slice(1)
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
