import fs from 'node:fs'
import { type Daemon, startDaemon } from '../../src/app/daemon/daemon.js'
import { errorForPeople, exitCodeOf } from '../../src/cli/exit-code.js'
import { neededToRun } from '../../src/cli/flags/needed-settings.js'
import { loadSettings } from '../../src/config/load.js'
import { systemClock } from '../../src/core/clock.js'
import { aborted, EXIT } from '../../src/core/shutdown.js'
import { createLogger } from '../../src/observe/logger.js'
import { createMetrics } from '../../src/observe/metrics/metrics.js'
import { type DaemonFiles, DaemonUnderTest } from './daemon-under-test.js'

/**
 * The daemon of `attestd run` in this process, which has loaded its code once: a process of its own costs two seconds of
 * processor time. Its detectors and its embedded database are the real ones. What it cannot show is how a process ends.
 */
export class DaemonHere extends DaemonUnderTest {
  readonly exited: Promise<number>
  readonly pid = process.pid
  running = true
  readonly #stop = new AbortController()
  readonly #out: number
  #atOnce = false
  #daemon: Daemon | undefined

  constructor(env: Readonly<Record<string, string>>, files: DaemonFiles) {
    super(files)
    this.#out = fs.openSync(files.logFile, 'a', 0o600)
    this.exited = this.#run({ ATTESTD_DATA_DIR: files.dataDir, ...env })
      .catch((error: unknown) => {
        if (this.#stop.signal.aborted) return EXIT.ok
        this.#write(`${errorForPeople(error).join('\n')}\n`)
        return exitCodeOf(error)
      })
      .finally(() => {
        this.running = false
        fs.closeSync(this.#out)
      })
  }

  /** As to its process: SIGTERM and SIGINT drain, SIGHUP reloads the detectors. */
  signal(signal: NodeJS.Signals): void {
    if (signal === 'SIGHUP') void this.#daemon?.reloadDetectors()
    else this.#stop.abort()
  }

  async end(): Promise<void> {
    this.#atOnce = true
    this.#stop.abort()
    await this.exited
  }

  async #run(env: Readonly<Record<string, string>>): Promise<number> {
    const loaded = loadSettings({ env, need: neededToRun })
    const { settings, secrets } = loaded
    // Those of the process are the test's.
    const metrics = createMetrics({ clock: systemClock, processMetrics: false, roles: settings.roles })
    const log = createLogger({
      level: settings.logLevel,
      format: settings.logFormat,
      secrets,
      destination: { write: (line) => this.#write(line) },
      onLine: (level) => metrics.logLines.inc({ level }),
    })
    const { signal } = this.#stop
    const daemon = await startDaemon({ ...loaded, log, metrics, signal })
    this.#daemon = daemon
    const lost = await Promise.race([daemon.lost, aborted(signal).then(() => null)])
    const { drained } = await daemon.stop(lost || this.#atOnce ? 0 : settings.drainMs)
    if (lost) throw lost
    return drained ? EXIT.ok : EXIT.temporary
  }

  /** What comes after its end has no reader. */
  #write(text: string): void {
    if (this.running) fs.writeSync(this.#out, text)
  }
}
