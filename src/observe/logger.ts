import net from 'node:net'
import { isatty, WriteStream } from 'node:tty'
import { type LogFn, pino } from 'pino'
import { prettyFactory } from 'pino-pretty'
import type { Settings } from '../config/settings.js'
import type { Log } from '../core/log.js'
import { escapedJson, safeText } from '../core/safe-output.js'
import { cleanText } from '../core/text.js'
import { type ErrorFacts, errorFacts, errorLine } from './error-facts.js'
import { createRedactor } from './redaction.js'

/** Takes finished lines, each ending with a newline. Must write before it returns. */
export interface LogDestination {
  write(line: string): void
}

/** How log lines look and where they go; `secrets` are replaced in whatever is written. */
export interface LoggerOptions {
  /**
   * What is written. Policy: `error` needs a person, `warn` is trouble that resolves itself, `info` is one line a job
   * and one a change of state, `debug` is one line a request.
   */
  readonly level: Settings['logLevel']
  /** `auto`: pretty on a terminal, else JSON lines. */
  readonly format: Settings['logFormat']
  /** File descriptor or writer. @default 1, standard output */
  readonly destination?: number | LogDestination
  /** Values that must never be written. */
  readonly secrets: readonly string[]
  /** Called for each written line, for the metric. */
  readonly onLine?: (level: string) => void
}

/** The daemon's logger. */
export interface Logger extends Log {
  fatal: Log['error']
}

/** Longest string of a fact in a log line, UTF-16 units. */
const MAX_TEXT = 4000
/** Lines that wait for room on a disk, UTF-16 units, or in a pipe, bytes; of more, the later ones are dropped. */
const MAX_UNWRITTEN = 1024 * 1024

/**
 * Makes the logger: one line an event with ISO time, level, message and facts. Lines are redacted as finished text and
 * written synchronously in this thread, so that nothing slips by and nothing is lost when the process ends, except
 * what the reader of a full pipe has not taken.
 */
export function createLogger(options: LoggerOptions): Logger {
  const { destination = 1 } = options
  const out = openDestination(destination)
  const terminal = typeof destination === 'number' && isatty(destination)
  const pretty = options.format === 'pretty' || (options.format === 'auto' && terminal)
  const redact = createRedactor(options.secrets)
  // Node knows NO_COLOR, FORCE_COLOR and the terminals without colors.
  const colorize = terminal && WriteStream.prototype.getColorDepth() > 1
  const show = pretty ? prettyFactory({ ...PRETTY, colorize }) : undefined
  const write = (line: string) => {
    const clean = redact(line)
    // The pretty text has other quoting than the JSON line, so it is redacted once more.
    out.write(show ? redact(String(show(withErrorLine(JSON.parse(clean, safeValue))))) : escapedJson(clean))
  }
  return pino(pinoOptions(options), { write }) as unknown as Logger
}

/** A full disk or pipe costs lines and never the job that logs one; those that wait are written once there is room again. */
function openDestination(destination: number | LogDestination): LogDestination {
  if (typeof destination !== 'number') return destination
  if (destination === 1 && process.stdout instanceof net.Socket && !process.stdout.isTTY)
    return standardPipe(process.stdout)
  const out = pino.destination({ dest: destination, sync: true, maxLength: MAX_UNWRITTEN })
  out.on('error', () => {})
  return out
}

/** A synchronous write to a full pipe would stop the whole process until somebody reads; Node's stream keeps the line instead. */
function standardPipe(pipe: net.Socket): LogDestination {
  // Other verbs end when their reader does; a daemon goes on without one.
  pipe.removeAllListeners('error').on('error', () => {})
  return { write: (line) => void (pipe.writableLength < MAX_UNWRITTEN && pipe.write(line)) }
}

/** Before the pretty text gets colors, which are control codes too. */
const safeValue = (_name: string, value: unknown): unknown => (typeof value === 'string' ? safeText(value) : value)

/** An error is one of the facts of its line: by itself pino-pretty would print it over twenty. */
const PRETTY = { translateTime: 'SYS:HH:MM:ss.l', ignore: 'pid', singleLine: true, errorLikeObjectKeys: [] as string[] }

function withErrorLine(line: Record<string, unknown>): Record<string, unknown> {
  const { err, reason, ...rest } = line
  if (typeof err !== 'object' || err === null) return line
  const { text, reason: own } = errorLine(err as ErrorFacts)
  return { ...rest, reason: reason ?? own, err: text }
}

function pinoOptions({ level, onLine }: LoggerOptions): pino.LoggerOptions {
  const counted = {
    logMethod(this: pino.Logger, args: Parameters<LogFn>, method: LogFn, number: number) {
      onLine?.(pino.levels.labels[number] ?? 'other')
      method.apply(this, args)
    },
  }
  return {
    level,
    base: { pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }), log: (facts) => plainFacts(facts) },
    serializers: { err: (value) => value },
    depthLimit: 6,
    edgeLimit: 100,
    ...(onLine ? { hooks: counted } : {}),
  }
}

/** Errors become their facts, bigints decimal strings, long texts are cut: pino would write `{}`, a float or all of it. */
const plainFacts = (facts: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, plainFact(value)]))

function plainFact(value: unknown): unknown {
  if (value instanceof Error) return errorFacts(value)
  if (typeof value === 'bigint') return value.toString()
  return typeof value === 'string' ? cleanText(value, MAX_TEXT) : value
}
