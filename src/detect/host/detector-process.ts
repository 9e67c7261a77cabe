import { type ChildProcess, spawn } from 'node:child_process'
import type { Duplex } from 'node:stream'
import type { Clock } from '../../core/clock.js'
import { AttestdError } from '../../core/errors.js'
import { entryFile, isThere } from '../../core/files.js'
import { reasonEntry } from '../../core/reasons.js'
import { startRepeating, startTimer } from '../../core/time-limit.js'
import {
  type Answer,
  type FromChild,
  fromChildSchema,
  type Question,
  type ToChild,
} from '../contract/child-messages.js'
import { CHANNEL_FD, readJsonLines, writeJsonLine } from '../contract/json-lines.js'
import type { HeatMap, MeasuredFile } from '../contract/measurement.js'
import type { OnnxTensors } from '../contract/network.js'
import type { StopCause } from '../detector-events.js'
import type { DetectorPackage } from '../package/package-loader.js'
import { checkTokenServers } from '../package/remote-servers.js'
import { asksServer } from '../package/runtime.js'
import { withEvidenceRead } from '../scoring/to-detection.js'
import { CagedPlace, type DetectorCage, innermost, MAX_RESULT_BYTES, needsNetwork } from './detector-cage.js'
import { limitLine, memoryLimiter, residentBytes } from './memory-limit.js'
import { endedError, isKilled, isOfParser, overParser, parserTimeout } from './process-end.js'
import { sendFilter } from './system-calls.js'

/** How often the memory of a working child is read; a jump between two reads goes unseen. */
const MEMORY_POLL_MS = 100
/** Longest time for each step of a start (loading, one sample); it takes a second or two, some eight on a slow machine. */
export const START_TIMEOUT_MS = 60_000
/** A heat map scores up to 256 pieces, for a person who waits for it: it may take so many times as long as a file of a job. */
const HEAT_MAP_TIMES = 10
/** Longest time for which a parser may compute without a sign, ms; 2 to 7 ms is usual. */
const PARSER_LIMIT_MS = 10_000
/** Last output of a child that is kept for the log, characters. */
const MAX_OUTPUT = 2000
/** How long its output is waited for once it is gone, ms: what it started may hold that open. */
const OUTPUT_LIMIT_MS = 1000
/** Longest message of a child, characters; one with all that the schema allows has a tenth of it. */
const MAX_MESSAGE = 1024 ** 2
/**
 * For glibc, whose memory otherwise grows by a heap a thread and is kept for pictures to come: one heap, and what is
 * free at its end goes back. With the next, 70 MB less after the sample media.
 */
const ALLOCATOR = { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '1048576', MALLOC_MMAP_THRESHOLD_: '1048576' }
/** Each of V8's spaces of young objects, MB: what a detector makes much of are buffers, which lie elsewhere. */
const YOUNG_OBJECTS_MB = 4
/**
 * What V8 may hold before it looks through all of it for the first time, MB. Left to itself it may settle on little more
 * than the 17 MB in use, buffers counted in: then it does so every few pictures, a fifth of the processor time.
 */
const OLD_OBJECTS_MB = 64
/** Share of the job's time that decoding may take, so that it ends by itself before the child is killed. */
const DECODE_SHARE = 0.8

const PROCESSES_FIX =
  'This user may start no more processes: raise ulimit -u, LimitNPROC or TasksMax (systemd), or the pids limit of the container.'
const OTHERS_FIX =
  'In its cage a detector process of root is another user: let others read attestd and its packages (chmod -R go+rX; umask 022).'

/** Stands for the loading of the packages, before the first job. */
const LOAD_JOB = 0

/** What one detector process loads, and the limits beyond which it is killed. */
export interface ChildOptions {
  readonly packages: readonly DetectorPackage[]
  /** Absolute path of ffmpeg; null where there is none. */
  readonly ffmpeg: string | null
  /** Bearer token for the model server of remote detectors. @default none */
  readonly remoteToken?: string | null
  /** Absolute path of a PEM file of authorities that processes with network trust besides those of Node. @default none */
  readonly authorities?: string | null | undefined
  /** What the process is confined by. @default nothing */
  readonly cage?: DetectorCage | null | undefined
  /** Longest time for one job, ms; the child is killed then. */
  readonly timeoutMs: number
  /** Resident memory at which a working child is killed, bytes. */
  readonly memoryBytes: number
  readonly clock: Clock
}

/** One file for one detector; its media type only mattered for choosing that detector. */
export interface ChildJob {
  readonly detectorId: string
  /** Absolute path. */
  readonly file: string
  /** Expected share at which a package that asks for it scores re-encodings too; null: none are scored. */
  readonly probe: number | null
  /** Whether what the file states about itself is read too. */
  readonly evidence: boolean
}

export interface ChildEnd {
  readonly cause: StopCause
  /** Whether it had no job when it ended. */
  readonly idle: boolean
  /** What it wrote last, for the log. */
  readonly output: string
}

type Reply = Exclude<FromChild, { type: 'hello' | 'parsing' }>
type QuestionOf<T extends Question['type']> = Extract<Question, { type: T }>
/** A question before it has its number. */
type Unnumbered = { [T in Question['type']]: Omit<QuestionOf<T>, 'jobId'> }[Question['type']]
type ShowJob = Omit<QuestionOf<'show'>, 'type' | 'jobId'>

interface Waiting {
  readonly jobId: number
  readonly expected: readonly Reply['type'][]
  /** Takes back the limit of the parser that computes; null where none does. */
  stopParserLimit: (() => void) | null
  resolve(reply: Reply): void
  reject(error: AttestdError): void
}

/** One detector process, seen from the parent. It does one thing at a time; after any end it stays ended. */
export class DetectorProcess {
  /** Of what is started; of the detector itself from its first word on, which differ in a cage. */
  pid: number
  /** Resolves when the process is gone, and its place with it. */
  readonly ended: Promise<ChildEnd>
  /** Resident memory after the last job, bytes. */
  rssBytes = 0
  readonly #handle: ChildProcess
  readonly #channel: Duplex | undefined
  readonly #options: ChildOptions
  /** Where its files are; null for one that is not caged. */
  readonly #place: CagedPlace | null
  #waiting: Waiting | null = null
  #cause: StopCause | null = null
  #idle = true
  #greeted = false
  #output = ''
  #lastJobId = 0

  /**
   * Starts a child and loads the packages in it.
   * @throws AttestdError setting-invalid (the token would go astray), detector-start-failed, detector-out-of-memory, manifest-invalid, model-digest-mismatch
   */
  static async start(options: ChildOptions, signal: AbortSignal): Promise<DetectorProcess> {
    signal.throwIfAborted()
    // Here, because nothing gets the token in another way: neither the daemon nor a verb of the lab.
    checkTokenServers(options.packages, options.remoteToken ?? null)
    const limiter = await memoryLimiter()
    const place = options.cage ? await CagedPlace.make(options.cage) : null
    if (signal.aborted) await place?.remove()
    signal.throwIfAborted()
    const child = new DetectorProcess(spawnChild(options, place, limiter), options, place)
    const onAbort = () => child.kill('closed')
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      await child.#load()
      return child
    } catch (error) {
      await child.kill('crashed')
      throw error
    } finally {
      signal.removeEventListener('abort', onAbort)
    }
  }

  /** Whether it was neither ended nor died. */
  get alive(): boolean {
    return this.#cause === null
  }

  private constructor(child: ChildProcess, options: ChildOptions, place: CagedPlace | null) {
    this.#handle = child
    this.#options = options
    this.#place = place
    this.pid = child.pid ?? -1
    child.stderr?.setEncoding('utf8')
    child.stderr?.on('data', (text: string) => {
      this.#output = (this.#output + text).slice(-MAX_OUTPUT)
    })
    // Missing where no process could be started.
    this.#channel = child.stdio?.[CHANNEL_FD] as Duplex | undefined
    if (this.#channel) readJsonLines(this.#channel, (raw) => this.#receive(raw), MAX_MESSAGE)
    const ended = new Promise<ChildEnd>((resolve) => {
      const end = (code: number | null, signal: string | null) => {
        this.#cause ??= isKilled(code, signal) ? 'killed' : 'crashed'
        this.#idle &&= this.#waiting === null
        this.#fail(endedError(this.#cause, { exit: signal ?? code ?? 'unknown' }))
        resolve({ cause: this.#cause, idle: this.#idle, output: this.#output.trim() })
      }
      child.once('close', end)
      child.once('exit', () => {
        const release = () => {
          for (const stream of child.stdio) stream?.destroy()
        }
        child.once('close', startTimer(options.clock, OUTPUT_LIMIT_MS, release))
      })
      child.on('error', (error) => {
        this.#output += error.message
        if (child.pid === undefined) end(null, null)
      })
    })
    // Whoever waits for the end may leave the process right after. What cannot be removed costs a little disk only.
    this.ended = ended.then(async (end) => {
      await place?.remove().catch(() => {})
      return end
    })
  }

  /**
   * Measures one file. What reading its evidence does to the process costs the evidence alone.
   * @param timeoutMs longest time for this job, ms
   * @throws AttestdError detector-timeout, detector-out-of-memory, detector-crashed, detector-killed or detector-unavailable (the child is gone), media-cache-failed (the file is), or the reason of the child
   */
  measure({ detectorId, evidence, file, probe }: ChildJob, timeoutMs = this.#options.timeoutMs): Promise<MeasuredFile> {
    return this.#shown(file, timeoutMs, async (shown) => {
      const { measurement } = await this.#ask({ type: 'measure', detectorId, file: shown, probe }, 'measured')
      if (!evidence) return { ...measurement, evidence: [] }
      const read = await this.#ask({ type: 'evidence', file: shown }, 'evidence').catch(() => null)
      return withEvidenceRead(measurement, read)
    })
  }

  /** Writes a heat map of a picture, or, where no detector is named, a view of a file, and returns null. @throws as `measure` */
  show({ detectorId, file, mediaType, out, side }: ShowJob): Promise<HeatMap | null> {
    const timeoutMs = this.#options.timeoutMs * (detectorId === null ? 1 : HEAT_MAP_TIMES)
    return this.#shown(file, timeoutMs, async (shown) => {
      const place = { file: shown, out: this.#place?.result ?? out }
      const { heatMap } = await this.#ask({ type: 'show', detectorId, mediaType, side, ...place }, 'shown')
      await this.#place?.takeResult(out).catch(() => Promise.reject(malformedAnswer()))
      return heatMap
    })
  }

  /**
   * Opens weights of no package. @param file in any place, so only a process that is not caged can; its own limit is that of a start
   * @throws as `measure`, and internal-error where they are no network that runs here
   */
  async open(file: string): Promise<OnnxTensors> {
    const work = () => this.#ask({ type: 'open', file }, 'opened')
    return (await this.#limited(START_TIMEOUT_MS, 'detector-timeout', work)).tensors
  }

  /** Ends the process; a job that is on it fails with `error`. Resolves when it is gone. */
  async kill(cause: StopCause, error?: AttestdError): Promise<void> {
    this.#cause ??= cause
    this.#idle &&= this.#waiting === null
    this.#fail(error ?? new AttestdError('detector-unavailable', 'The detector process was ended.'))
    this.#handle.kill('SIGKILL')
    await this.ended
  }

  async #load(): Promise<void> {
    try {
      const loaded = () => this.#waitFor(LOAD_JOB, ['loaded', 'refused'])
      const answer = await this.#limited(START_TIMEOUT_MS, 'detector-start-timeout', loaded)
      if (answer.type === 'refused') throw refusal(answer, this.#fixOf(answer.message))
    } catch (error) {
      const { kind, reason } = error as AttestdError
      if (kind === 'setup' || reason === 'detector-start-timeout' || reason === 'detector-out-of-memory') throw error
      const end = await this.ended
      throw new AttestdError('detector-start-failed', `No detector process could be started. ${end.output}`.trim(), {
        cause: error,
        fix: this.#fixOf(end.output),
      })
    }
  }

  /** What to do about a failed start, where its words show that. */
  #fixOf(words: string): string | undefined {
    if (/EAGAIN|Resource temporarily unavailable/.test(words)) return PROCESSES_FIX
    const isOther = (this.#options.cage?.setpriv ?? null) !== null
    return isOther && /EACCES|MODULE_NOT_FOUND/.test(words) ? OTHERS_FIX : undefined
  }

  /** Work on a file that the process sees until that is done. */
  async #shown<T>(file: string, timeoutMs: number, work: (shown: string) => Promise<T>): Promise<T> {
    const shown = this.#place === null ? file : await this.#place.show(file)
    try {
      return await this.#limited(timeoutMs, 'detector-timeout', () => work(shown))
    } finally {
      await this.#place?.clear()
    }
  }

  async #ask<T extends Answer['type']>(question: Unnumbered, expected: T): Promise<Extract<Answer, { type: T }>> {
    const jobId = ++this.#lastJobId
    const reply = this.#waitFor(jobId, [expected, 'failed'])
    this.#send({ ...question, jobId })
    const answer = await reply
    if (answer.type === 'failed') throw await this.#failureOf(question, answer)
    return answer as Extract<Answer, { type: T }>
  }

  async #failureOf(
    { file }: Unnumbered,
    { message, reason }: Extract<Answer, { type: 'failed' }>,
  ): Promise<AttestdError> {
    if (await isThere(file)) return new AttestdError(reason, message)
    // A decoder takes it for a corrupt one, which nobody would fetch again.
    return new AttestdError('media-cache-failed', 'The file was removed while it was analyzed.')
  }

  #waitFor(jobId: number, expected: readonly Reply['type'][]): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const { exitCode, signalCode } = this.#handle
      if (exitCode !== null || signalCode !== null)
        reject(endedError(this.#cause ?? (isKilled(exitCode, signalCode) ? 'killed' : 'crashed'), {}))
      else this.#waiting = { jobId, expected, stopParserLimit: null, resolve, reject }
    })
  }

  /** Where the child is gone or going, its end settles the reply. */
  #send(message: ToChild): void {
    if (this.#channel) writeJsonLine(this.#channel, message)
  }

  #receive(raw: unknown): void {
    if (!this.alive) return
    const parsed = fromChildSchema.safeParse(raw)
    if (parsed.success && parsed.data.type === 'hello' && !this.#greeted) void this.#sendPackages()
    else if (!parsed.success || parsed.data.type === 'hello' || !this.#isAwaited(parsed.data))
      void this.kill('answer', malformedAnswer())
    else if (parsed.data.type === 'parsing') this.#limitParser(parsed.data.isParsing)
    else this.#settle(parsed.data)
  }

  #isAwaited(reply: Exclude<FromChild, { type: 'hello' }>): boolean {
    const { expected, jobId } = this.#waiting ?? {}
    if (jobId !== ('jobId' in reply ? reply.jobId : LOAD_JOB)) return false
    return reply.type === 'parsing' || expected?.includes(reply.type) === true
  }

  #settle(reply: Reply): void {
    const waiting = this.#waiting
    this.#waiting = null
    if ('rssBytes' in reply) this.rssBytes = reply.rssBytes
    waiting?.resolve(reply)
  }

  async #sendPackages(): Promise<void> {
    this.#greeted = true
    if (this.#place !== null) this.pid = await innermost(this.pid)
    const timeoutSeconds = Math.max(1, Math.floor((this.#options.timeoutMs * DECODE_SHARE) / 1000))
    const packages = this.#options.packages.map(({ folder, digest, manifest }) => ({ folder, digest, manifest }))
    const hasServer = packages.some(({ manifest }) => asksServer(manifest.runtime))
    this.#send({
      type: 'load',
      packages,
      tools: { timeoutSeconds, ffmpeg: this.#options.ffmpeg },
      remoteToken: hasServer ? (this.#options.remoteToken ?? null) : null,
    })
  }

  /** Ends the process where it takes more time or memory for some work. */
  async #limited<T>(
    ms: number,
    reason: 'detector-timeout' | 'detector-start-timeout',
    work: () => Promise<T>,
  ): Promise<T> {
    const { clock } = this.#options
    const late = () => new AttestdError(reason, undefined, { facts: { limitMs: ms } })
    const stopTimer = startTimer(clock, ms, () => void this.kill('timeout', late()))
    const stopPolling = startRepeating(clock, MEMORY_POLL_MS, () => void this.#limitMemory())
    try {
      return await work()
    } finally {
      stopTimer()
      stopPolling()
    }
  }

  async #limitMemory(): Promise<void> {
    const { memoryBytes } = this.#options
    const rss = await residentBytes(this.pid)
    // Null: the work is over.
    if (this.#waiting === null || rss === null || rss <= memoryBytes) return
    const facts = { rssBytes: rss, capBytes: memoryBytes }
    await this.kill('memory', new AttestdError('detector-out-of-memory', undefined, { facts }))
  }

  #limitParser(isParsing: boolean): void {
    const waiting = this.#waiting
    if (waiting === null) return
    waiting.stopParserLimit?.()
    waiting.stopParserLimit = isParsing
      ? startTimer(this.#options.clock, PARSER_LIMIT_MS, () => void this.kill('timeout', parserTimeout()))
      : null
  }

  #fail(error: AttestdError): void {
    const waiting = this.#waiting
    this.#waiting = null
    waiting?.stopParserLimit?.()
    waiting?.reject(waiting.stopParserLimit !== null && isOfParser(this.#cause) ? overParser(error) : error)
  }
}

/** A child that could not load is at an end, whatever stopped it. */
function refusal({ reason, message }: Extract<FromChild, { type: 'refused' }>, fix: string | undefined): AttestdError {
  const isNamed = reasonEntry(reason).kind === 'setup' || reason === 'detector-out-of-memory'
  return isNamed ? new AttestdError(reason, message) : new AttestdError('detector-start-failed', message, { fix })
}

const malformedAnswer = (): AttestdError =>
  new AttestdError('detector-failed', 'The detector process returned a malformed answer.')

/** @param place of one that is caged, else null @param limiter what limits its memory; null where nothing does */
function spawnChild(
  { packages, ffmpeg, cage, memoryBytes, ...options }: ChildOptions,
  place: CagedPlace | null,
  limiter: string | null,
): ChildProcess {
  const limits = limitLine(limiter, memoryBytes, place && MAX_RESULT_BYTES)
  const authorities = packages.some(needsNetwork) ? (options.authorities ?? null) : null
  const files = [ffmpeg, authorities].filter((file) => file !== null)
  const [program = '', ...line] = [...limits, ...(place?.line(packages, files) ?? []), process.execPath]
  const isFiltered = cage?.isFiltered === true
  const node = [
    '--expose-gc',
    `--max-semi-space-size=${YOUNG_OBJECTS_MB}`,
    `--initial-old-space-size=${OLD_OBJECTS_MB}`,
    entryFile(import.meta.url, '../child/detector-child'),
  ]
  const child = spawn(program, [...line, ...node], {
    // Nothing of the parent's environment: it may hold the signing secret.
    env: authorities === null ? ALLOCATOR : { ...ALLOCATOR, NODE_EXTRA_CA_CERTS: authorities },
    cwd: '/',
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', ...(isFiltered ? (['pipe'] as const) : [])],
  })
  if (isFiltered) sendFilter(child)
  return child
}
