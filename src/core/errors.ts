import { type Reason, type ReasonKind, reasonEntry } from './reasons.js'

/** What an `AttestdError` carries in addition to its sentence: for the log, and for the decision on another try. */
export interface AttestdErrorOptions {
  /** The underlying error, kept for the log. */
  cause?: unknown
  /** How long to wait before a next try, in milliseconds, where the other side reported it. */
  retryAfterMs?: number | undefined
  /** Whether a request may have taken effect although no clear answer came. @default false */
  ambiguous?: boolean
  /** Small plain facts for the log line (status, gateway, size). Never secrets. */
  facts?: Readonly<Record<string, string | number | boolean>>
  /** What a person can do about this case. @default what the list of reasons states */
  fix?: string | undefined
}

/** The one error base: a reason from the list, a sentence about this case, and what is needed to decide on a retry. */
export class AttestdError extends Error {
  override readonly name = 'AttestdError'
  readonly reason: Reason
  readonly retryAfterMs: number | undefined
  readonly ambiguous: boolean
  readonly facts: Readonly<Record<string, string | number | boolean>>
  readonly #fix: string | undefined

  constructor(reason: Reason, message?: string, options: AttestdErrorOptions = {}) {
    super(message ?? reasonEntry(reason).summary, options.cause === undefined ? undefined : { cause: options.cause })
    this.reason = reason
    this.retryAfterMs = options.retryAfterMs
    this.ambiguous = options.ambiguous ?? false
    this.facts = options.facts ?? {}
    this.#fix = options.fix
  }

  get kind(): ReasonKind {
    return reasonEntry(this.reason).kind
  }

  /** What a person can do about it, if anything. */
  get fix(): string | undefined {
    return this.#fix ?? reasonEntry(this.reason).fix
  }
}

/** Any thrown value as an `AttestdError`; foreign errors get `fallback` as their reason. */
export function toAttestdError(error: unknown, fallback: Reason = 'internal-error'): AttestdError {
  if (error instanceof AttestdError) return error
  return new AttestdError(fallback, errorText(error), { cause: error })
}

/** Whether media, or what a detector sees in it, gets no score: a result, not a failure. */
export const isAbstention = (error: unknown): error is AttestdError =>
  error instanceof AttestdError && error.kind === 'abstain'

/** The message of any thrown value, with the causes that fetch and friends hide one level down. */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return thrownText(error)
  const own = error.message || error.name
  const cause = error.cause instanceof Error ? error.cause.message : undefined
  return cause && !own.includes(cause) ? `${own}: ${cause}` : own
}

/** The code of a system or a connection (`ECONNREFUSED`), of the error or of its cause: their messages may repeat a URL. */
export function errorCode(error: unknown): string | undefined {
  const causes = [error, error instanceof Error ? error.cause : undefined]
  const codes = causes.map((each) => (each as { readonly code?: unknown } | null | undefined)?.code)
  return codes.find((code) => typeof code === 'string')
}

/** What was thrown and is no error: of an object its plain fields, as WASM throws them. */
function thrownText(thrown: unknown): string {
  if (typeof thrown !== 'object' || thrown === null) return String(thrown)
  const plain = Object.entries(thrown).filter(([, value]) => typeof value === 'string' || typeof value === 'number')
  return plain.map(([name, value]) => `${name} ${value}`).join(', ') || 'an object without a message was thrown'
}

/** Whether a signal ended the work, by its owner or by `AbortSignal.timeout`: known by the name of the error. */
export const isAbort = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError')

/** The `AttestdError` that viem wrapped on its way, or null where there is none. */
export function attestdErrorIn(error: unknown): AttestdError | null {
  for (let each = error; each instanceof Error; each = each.cause) if (each instanceof AttestdError) return each
  return null
}

/** Whether work succeeds; why it does not is for nobody. */
export const succeeds = (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    () => true,
    () => false,
  )
