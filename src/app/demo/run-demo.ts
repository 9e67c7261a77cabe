import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { loadSettings } from '../../config/load.js'
import type { Settings } from '../../config/settings.js'
import { systemClock } from '../../core/clock.js'
import { AttestdError } from '../../core/errors.js'
import { listenForStop } from '../../core/shutdown.js'
import { startTimer } from '../../core/time-limit.js'
import { Ledger } from '../../pipeline/ledger.js'
import { type Sandbox, startSandbox } from '../../sandbox/create-sandbox.js'
import { dataPaths } from '../data-dir.js'
import { easProfileOf } from '../open/open-chain.js'
import { openSubmitter } from '../register/open-submitter.js'
import { registerFile } from '../register/register-file.js'
import { readSamples, type Sample } from '../samples.js'
import { type DaemonProcess, startDaemonProcess } from './daemon-process.js'
import { demoSettings } from './demo-api.js'
import { type DemoRow, demoRow } from './demo-rows.js'

/** What the flags of `attestd demo` state. */
export interface DemoOptions {
  readonly api: Settings['serviceApi']
}

/** `startMs`: until the daemon was ready, sandbox included; `wallMs`: the whole; `daemonExit` null: by a signal. */
export interface DemoResult {
  readonly api: Settings['serviceApi']
  /** Where stake and roles were read; null where the API needs none. */
  readonly chain: { readonly chainId: number; readonly stakeContract: string } | null
  /** Whether every asset got exactly one accepted score, attested where it must be, and the daemon stopped cleanly. */
  readonly ok: boolean
  readonly rows: readonly DemoRow[]
  readonly daemonExit: number | null
  readonly startMs: number
  readonly wallMs: number
  /** The daemon's log; kept where the demo failed. */
  readonly logFile: string | null
}

export interface DemoProgress {
  step(text: string): void
  scored(done: number, of: number): void
}

const START_MS = 120_000
const SCORING_MS = 240_000
const STOP_MS = 30_000
const LOOK_EVERY_MS = 150
const OPEN_FOR_MS = 60 * 60_000

/** Starts sandbox and daemon, registers the sample media over HTTP, and waits until each has its score. */
export async function runDemo(options: DemoOptions, progress: DemoProgress): Promise<DemoResult> {
  const clock = systemClock
  const started = clock.monotonic()
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'attestd-demo-'))
  const logFile = path.join(folder, 'daemon.log')
  const dataDir = path.join(folder, 'data')
  const samples = await readSamples()
  const signals = listenForStop(systemClock)
  progress.step('starting the sandbox service')
  // Strict: a second score for an asset would be stored and counted, not forgiven.
  const sandbox = await startSandbox({ clock: systemClock, duplicateScores: 'store' })
  let daemon: DaemonProcess | undefined
  let ok = false
  try {
    const settings = await demoSettings(options.api, sandbox, folder)
    progress.step(`starting the daemon on the embedded queue (service ${sandbox.url}, API ${options.api})`)
    const env = { ...settings.daemon, ...DAEMON_ENV }
    daemon = await startDaemonProcess({ env, dataDir, logFile, clock, startMs: START_MS, signal: signals.drain })
    const startMs = clock.monotonic() - started
    progress.step(`registering ${samples.length} media files`)
    const ids = await registerAll(settings.submitter, samples)
    await untilScored(sandbox, daemon, samples.length, progress, signals.drain)
    const entries = await new Ledger(dataPaths(dataDir).ledger).recent(10 * samples.length)
    const daemonExit = await stopped(daemon)
    const isAttested = options.api === 'wallet-session'
    const profile = isAttested ? easProfileOf(loadSettings({ env: settings.daemon }).settings) : null
    const row = (sample: Sample, index: number) => demoRow(sample, ids[index]!, { sandbox, entries, profile })
    const rows = await Promise.all(samples.map(row))
    ok = daemonExit === 0 && rows.every(({ accepted }) => accepted === 1) && rows.every(isProven)
    const wallMs = clock.monotonic() - started
    const { chainId, contract: stakeContract } = sandbox.chain
    const chain = isAttested ? { chainId, stakeContract } : null
    return { api: options.api, chain, ok, rows, daemonExit, startMs, wallMs, logFile: ok ? null : logFile }
  } finally {
    daemon?.kill('SIGKILL')
    await sandbox.close()
    // After a failure the daemon's log is worth keeping; after an interrupt it is not.
    if (ok || signals.drain.aborted) await fs.rm(folder, { recursive: true, force: true })
    signals.dispose()
  }
}

const DAEMON_ENV = {
  ATTESTD_HTTP_PORT: '0',
  ATTESTD_LOG_FORMAT: 'json',
  // Every sample gets a score, also where the detector is unsure: the demo shows the way of a score, not the policy.
  ATTESTD_UNSURE_POLICY: 'submit',
}

const isProven = ({ attested }: DemoRow) => attested === null || attested.fault === null

async function stopped(daemon: DaemonProcess): Promise<number | null> {
  daemon.kill('SIGTERM')
  const stopTimer = startTimer(systemClock, STOP_MS, () => void daemon.kill('SIGKILL'))
  try {
    return await daemon.exited
  } finally {
    stopTimer()
  }
}

async function registerAll(env: Readonly<Record<string, string>>, samples: readonly Sample[]): Promise<string[]> {
  const { settings } = loadSettings({ env })
  const side = await openSubmitter(settings)
  try {
    const ids: string[] = []
    for (const { path: file, title, mediaType } of samples) {
      const hints = side.takesHints ? { mediaType } : {}
      const request = { file, title, ...hints, openForMs: OPEN_FOR_MS, contentHash: settings.contentHash }
      ids.push((await registerFile(side, request)).id)
    }
    return ids
  } finally {
    await side.close()
  }
}

/** Ends when every asset has a score, or when no more can come; the table then states which are missing and why. */
async function untilScored(
  sandbox: Sandbox,
  daemon: DaemonProcess,
  wanted: number,
  progress: DemoProgress,
  interrupted: AbortSignal,
): Promise<void> {
  const deadline = systemClock.monotonic() + SCORING_MS
  for (let done = 0; done < wanted; ) {
    if (interrupted.aborted) throw new AttestdError('draining', 'The demo was interrupted.')
    if (daemon.ended()) throw new AttestdError('internal-error', 'The daemon ended before all scores were in.')
    if (systemClock.monotonic() > deadline) return
    await systemClock.sleep(LOOK_EVERY_MS)
    done = new Set(sandbox.scores().map(({ assetId }) => assetId)).size
    progress.scored(done, wanted)
  }
}
