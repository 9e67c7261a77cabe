import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import type { Clock } from '../../core/clock.js'
import { AttestdError } from '../../core/errors.js'
import { packagePath } from '../../core/files.js'
import { type ControlFile, readControlFile } from '../../observe/control-file.js'

/** A daemon that became ready. `control` is what it wrote into its data directory: the URL and the control token. */
export interface DaemonProcess {
  readonly pid: number
  /** Resolves with the exit code; null where a signal ended it. */
  readonly exited: Promise<number | null>
  readonly control: ControlFile
  ended(): boolean
  kill(signal: NodeJS.Signals): void
}

/** How the daemon is started: with its own settings, so that those of the shell change nothing about the demo. */
export interface DaemonProcessOptions {
  /** `ATTESTD_*` settings; nothing else of the own environment is handed on but PATH, HOME and TMPDIR. */
  readonly env: Readonly<Record<string, string>>
  readonly dataDir: string
  readonly logFile: string
  readonly clock: Clock
  /** Longest wait until it is ready, ms. */
  readonly startMs: number
  /** Ends the wait, and the process with it. */
  readonly signal?: AbortSignal
}

const LOOK_EVERY_MS = 100

/** Starts the real daemon as its own process and waits until it states that it is ready. */
export async function startDaemonProcess(options: DaemonProcessOptions): Promise<DaemonProcess> {
  const log = fs.openSync(options.logFile, 'a', 0o600)
  const { PATH = '', HOME = '', TMPDIR = '' } = process.env
  const child = spawn(process.execPath, [packagePath('dist', 'cli', 'main.js'), 'run'], {
    // A settings file in the working directory of the caller may name a real queue.
    cwd: path.dirname(options.logFile),
    env: { PATH, HOME, TMPDIR, ...options.env, ATTESTD_DATA_DIR: options.dataDir },
    stdio: ['ignore', log, log],
  })
  fs.closeSync(log)
  await once(child, 'spawn')
  const exited = once(child, 'exit').then(([code]) => code as number | null)
  try {
    const control = await untilReady(child, options)
    const ended = () => child.exitCode !== null || child.signalCode !== null
    return { pid: child.pid!, exited, control, ended, kill: (signal) => void child.kill(signal) }
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  }
}

async function untilReady(child: ChildProcess, { clock, dataDir, logFile, signal, startMs }: DaemonProcessOptions) {
  const deadline = clock.monotonic() + startMs
  while (clock.monotonic() < deadline) {
    if (child.exitCode !== null || child.signalCode !== null) {
      const how = child.exitCode ?? child.signalCode
      throw new AttestdError('internal-error', `The daemon ended with ${how} during startup; see ${logFile}.`)
    }
    const control = await readControlFile(dataDir)
    if (control && control.pid === child.pid && (await isReady(control.url))) return control
    await clock.sleep(LOOK_EVERY_MS, signal)
  }
  throw new AttestdError('internal-error', `The daemon was not ready within ${startMs} ms; see ${logFile}.`)
}

async function isReady(url: string): Promise<boolean> {
  return fetch(new URL('/readyz', url)).then(
    ({ ok }) => ok,
    () => false,
  )
}
