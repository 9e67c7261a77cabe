import fs from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { type ControlFile, readControlFile } from '../../src/observe/control-file.js'

const START_LIMIT_MS = 180_000
/** Looks at a daemon that starts cost it and this process time: the first follow closely, later ones wait longer. */
const LOOK_MS = { first: 25, growth: 1.4, most: 200 }

const counts = z.object({ waiting: z.number(), active: z.number(), delayed: z.number(), failed: z.number() })
const statusShape = z.object({
  queues: z.array(counts.extend({ name: z.string() })),
  doppelgangers: z.object({ scores: z.number() }).nullable(),
})
const failedShape = z.object({ jobs: z.array(z.object({ id: z.string(), reason: z.string(), message: z.string() })) })

/** One line of the daemon's JSON log. */
export type LogLine = Readonly<Record<string, unknown>> & { readonly msg?: string; readonly reason?: string }

export interface DaemonFiles {
  readonly dataDir: string
  readonly logFile: string
}

/** A daemon that a test looks at through its HTTP side and its log, wherever it runs. */
export abstract class DaemonUnderTest {
  /** Exit code; null where a signal ended it. */
  abstract readonly exited: Promise<number | null>
  abstract readonly pid: number
  abstract readonly running: boolean

  protected constructor(protected readonly files: DaemonFiles) {}

  abstract signal(signal: NodeJS.Signals): void
  /** Ends it as abruptly as it can be; resolves when it is gone. */
  abstract end(): Promise<void>

  /** Ends it as an operator does, with its work done. @returns its exit code */
  drain(): Promise<number | null> {
    this.signal('SIGTERM')
    return this.exited
  }

  /** Resolves with its address once it serves HTTP (it works by then, but may not be ready). */
  async serving(): Promise<ControlFile> {
    return this.#until('serves HTTP', async () => {
      const control = await readControlFile(this.files.dataDir)
      return control?.pid === this.pid ? control : null
    })
  }

  /** Resolves when `/readyz` says so. */
  async ready(): Promise<this> {
    const { url } = await this.serving()
    await this.#until('is ready', async () => (await reply(url, '/readyz'))?.ok || null)
    return this
  }

  async get(path: string): Promise<{ status: number; text: string }> {
    const { url, token } = await this.serving()
    const response = await fetch(new URL(path, url), { headers: { authorization: `Bearer ${token}` } })
    return { status: response.status, text: await response.text() }
  }

  /** Jobs by queue and state. */
  async queues(): Promise<z.infer<typeof statusShape>['queues']> {
    return statusShape.parse(JSON.parse((await this.get('/status')).text)).queues
  }

  /** Scores that it takes for another daemon's. */
  async foreignScores(): Promise<number> {
    return statusShape.parse(JSON.parse((await this.get('/status')).text)).doppelgangers?.scores ?? 0
  }

  async failedJobs(): Promise<z.infer<typeof failedShape>['jobs']> {
    return failedShape.parse(JSON.parse((await this.get('/control/failed')).text)).jobs
  }

  /** The sum of the samples of a metric that have these labels, such as `reason="stake-low"`; 0 where there are none. */
  async metric(name: string, ...labels: readonly string[]): Promise<number> {
    const lines = (await this.get('/metrics')).text.split('\n').filter((line) => /^[^ {]+/.exec(line)?.[0] === name)
    const fitting = lines.filter((line) => labels.every((label) => line.includes(label)))
    return fitting.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0)
  }

  /** Everything it wrote. */
  get output(): string {
    return fs.readFileSync(this.files.logFile, 'utf8')
  }

  get log(): LogLine[] {
    return this.output.split('\n').flatMap((line) => {
      try {
        return [JSON.parse(line) as LogLine]
      } catch {
        // A kill tears the last line.
        return []
      }
    })
  }

  async #until<T>(what: string, look: () => Promise<T | null>): Promise<T> {
    const deadline = performance.now() + START_LIMIT_MS
    for (let pauseMs = LOOK_MS.first; ; pauseMs = Math.min(LOOK_MS.most, pauseMs * LOOK_MS.growth)) {
      const found = await look()
      if (found !== null) return found
      if (!this.running || performance.now() > deadline) {
        const end = this.running ? 'it still runs' : `exit code ${await this.exited}`
        throw new Error(`no daemon that ${what} (${end}):\n${this.output.slice(-4000)}`)
      }
      await sleep(pauseMs)
    }
  }
}

async function reply(url: string, path: string): Promise<Response | null> {
  return fetch(new URL(path, url)).catch(() => null)
}
