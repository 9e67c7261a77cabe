import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { loadSettings } from '../config/load.js'
import { systemClock } from '../core/clock.js'
import { AttestdError } from '../core/errors.js'
import { listenForStop } from '../core/shutdown.js'
import { Ledger, type LedgerEntry } from '../pipeline/ledger.js'
import { type Sandbox, startSandbox } from '../sandbox/create-sandbox.js'
import { type DaemonProcess, startDaemonProcess } from './daemon-process.js'
import { dataPaths } from './data-dir.js'
import { openSignedKey } from './open-signed-key.js'
import { readSamples, type Sample } from './samples.js'
import { registerFile } from './submitter.js'

/** What became of one asset of the demo. */
export interface DemoRow {
  readonly assetId: string
  readonly title: string
  readonly file: string
  readonly mediaType: string
  readonly made: Sample['made']
  /** 0 to 100; null where there is no accepted score. */
  readonly risk: number | null
  readonly detector: string | null
  /** From registration to the accepted score, by the service's clock. */
  readonly openToAcceptedMs: number | null
  readonly receiptId: string | null
  /** Scores on record; exactly one is right. */
  readonly accepted: number
  /** Why there is no score, where the daemon said so. */
  readonly reason: string | null
}

export interface DemoResult {
  /** Whether every asset got exactly one accepted score, and the daemon stopped cleanly. */
  readonly ok: boolean
  readonly rows: readonly DemoRow[]
  readonly daemonExit: number | null
  readonly startMs: number
  readonly wallMs: number
  /** The daemon's log; kept where the demo failed. */
  readonly logFile: string | null
}

/** Told while the demo runs. */
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
export async function runDemo(progress: DemoProgress): Promise<DemoResult> {
  const clock = systemClock
  const started = clock.monotonic()
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'attestd-demo-'))
  const logFile = path.join(folder, 'daemon.log')
  const dataDir = path.join(folder, 'data')
  const samples = await readSamples()
  progress.step('starting the sandbox service')
  // Strict: a second score for an asset would be stored and counted, not forgiven.
  const sandbox = await startSandbox({ duplicateScores: 'store' })
  let daemon: DaemonProcess | undefined
  let ok = false
  const signals = listenForStop()
  try {
    progress.step(`starting the daemon on the embedded queue (service ${sandbox.url})`)
    daemon = await startDaemonProcess({
      env: daemonEnv(sandbox),
      dataDir,
      logFile,
      clock,
      startMs: START_MS,
      signal: signals.drain,
    })
    const startMs = clock.monotonic() - started
    progress.step(`registering ${samples.length} media files`)
    const ids = await registerAll(sandbox, samples)
    await untilScored(sandbox, daemon, samples.length, progress, signals.drain)
    const entries = await new Ledger(dataPaths(dataDir).ledger).recent(10 * samples.length)
    daemon.kill('SIGTERM')
    const forceStop = setTimeout(() => daemon?.kill('SIGKILL'), STOP_MS)
    const daemonExit = await daemon.exited
    clearTimeout(forceStop)
    const rows = samples.map((sample, index) => rowOf(sample, ids[index]!, sandbox, entries))
    ok = daemonExit === 0 && rows.every(({ accepted }) => accepted === 1)
    return { ok, rows, daemonExit, startMs, wallMs: clock.monotonic() - started, logFile: ok ? null : logFile }
  } finally {
    daemon?.kill('SIGKILL')
    await sandbox.close()
    // After a failure the daemon's log is worth keeping; after an interrupt it is not.
    if (ok || signals.drain.aborted) await fs.rm(folder, { recursive: true, force: true })
    signals.dispose()
  }
}

function daemonEnv(sandbox: Sandbox): Record<string, string> {
  return {
    ATTESTD_SERVICE_URL: sandbox.url,
    ATTESTD_IPFS_GATEWAYS: sandbox.url,
    ATTESTD_ACCESS_KEY: sandbox.attesterKey.accessKey,
    ATTESTD_SIGNING_SECRET: sandbox.attesterKey.signingSecret,
    ATTESTD_HTTP_PORT: '0',
    ATTESTD_LOG_FORMAT: 'json',
    // Every sample gets a score, also where the detector is unsure: the demo shows the way of a score, not the policy.
    ATTESTD_UNSURE_POLICY: 'submit',
  }
}

async function registerAll(sandbox: Sandbox, samples: readonly Sample[]): Promise<string[]> {
  const env = {
    ATTESTD_SERVICE_URL: sandbox.url,
    ATTESTD_ACCESS_KEY: sandbox.submitterKey.accessKey,
    ATTESTD_SIGNING_SECRET: sandbox.submitterKey.signingSecret,
  }
  const { client, close } = openSignedKey(loadSettings({ env }).settings)
  const submitter = { serviceUrl: sandbox.url, client, sessionToken: sandbox.sessionToken }
  try {
    const ids: string[] = []
    for (const { path: file, title, mediaType } of samples) {
      ids.push(await registerFile(submitter, { file, title, mediaType, openForMs: OPEN_FOR_MS }))
    }
    return ids
  } finally {
    await close()
  }
}

/** Ends when every asset has a score, or when no more can come; the table then says which are missing and why. */
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

function rowOf(sample: Sample, assetId: string, sandbox: Sandbox, entries: readonly LedgerEntry[]): DemoRow {
  const scores = sandbox.scores().filter((score) => score.assetId === assetId)
  const asset = sandbox.control.assets().find(({ id }) => id === assetId)
  const [score] = scores
  const trouble = entries.find((entry) => entry.assetId === assetId && 'reason' in entry)
  return {
    assetId,
    title: sample.title,
    file: sample.file,
    mediaType: sample.mediaType,
    made: sample.made,
    risk: score?.deepfakeRiskScore ?? null,
    detector: score?.algorithm ?? null,
    openToAcceptedMs: score && asset ? score.createdAt - asset.createdAt : null,
    receiptId: score?.id ?? null,
    accepted: scores.length,
    reason: trouble && 'reason' in trouble ? trouble.reason : null,
  }
}
