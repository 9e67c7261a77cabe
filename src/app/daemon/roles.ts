import { setMaxListeners } from 'node:events'
import { withinLimit } from '../../core/time-limit.js'
import type { DetectorHost } from '../../detect/detection.js'
import { Doppelgangers } from '../../pipeline/doppelgangers.js'
import { type Gate, pauseWhileClosed } from '../../pipeline/gate.js'
import { Intake } from '../../pipeline/intake.js'
import type { SubmitResult } from '../../pipeline/jobs.js'
import type { Ledger } from '../../pipeline/ledger.js'
import { submit } from '../../pipeline/submit.js'
import { VerdictStore } from '../../pipeline/verdict-store.js'
import type { RunningWorker } from '../../queue/queues.js'
import { recordTime } from '../../service/record-time.js'
import type { DaemonParts } from '../parts.js'
import type { ReviewSide } from '../review/open-review.js'
import type { DiskRest } from './disk-rest.js'
import { Loops } from './loops.js'
import type { ReadinessParts } from './readiness.js'
import { openServiceSide, type ServiceSide } from './service-side.js'
import { startAnalysis } from './start-analysis.js'

/** What this process does: intake, analyze and submit, or some of them. */
export interface Roles {
  readonly readiness: Pick<ReadinessParts, 'detectors' | 'media' | 'stream' | 'submission' | 'contract'>
  readonly review: ReviewSide
  /** Null where nothing is analyzed. */
  readonly diskRest: Pick<DiskRest, 'refusal'> | null
  readonly draining: boolean
  /** Resolves with the error when a loop ended that should not have; recovery needs a restart. */
  readonly lost: Promise<Error>
  /** See `Intake.forget` and `Doppelgangers.forget`; for a queue that may have lost something. */
  forgetRecords(): void
  /** Lets intake offer the asset again where it seemed closed, and ask no more about it otherwise. */
  submitted(assetId: string, outcome: SubmitResult['outcome']): void
  /** Takes jobs of the kinds that there are detectors for by now, and see `Analysis.retryFailed`. */
  detectorsChanged(): void
  /** Removes what is older than the settings state; nothing while the service is to state its time and does not. */
  prune(ledger: Ledger): Promise<void>
  stop(drainMs: number): Promise<{ drained: boolean }>
}

/** More than all loops that end with the process have listeners; beyond it node warns of a leak. */
const MAX_LISTENERS = 100
/** How long a stop waits for the loops other than the workers, ms; they end with their signal. */
const LOOPS_END_MS = 5000
/** How long a stop lets submission go on once analysis has ended, ms: the last verdicts take a request or two each. */
const LAST_SUBMISSIONS_MS = 3000
const LAST_SUBMISSIONS_LOOK_MS = 50
/** How long submission waits at its start for the stake to be read, ms, so that no job is held for not knowing it. */
const FIRST_STAKE_MS = 3000
/** The part of the drain that analysis may take; the rest is for submitting what it ended with. */
const ANALYSIS_SHARE = 0.75

/**
 * Builds and starts the roles of the settings.
 * @param detecting the detectors, which may still start; null where the roles do not analyze
 * @param closers gets what closes each part, as soon as it is open
 */
export async function startRoles(
  parts: DaemonParts,
  detecting: Promise<DetectorHost> | null,
  closers: (() => Promise<unknown>)[],
): Promise<Roles> {
  const { activity, log, paths, settings } = parts
  const stopTaking = new AbortController()
  // Every loop of every role listens; node would take more than ten for a leak.
  setMaxListeners(MAX_LISTENERS, stopTaking.signal)
  // The gate is followed until the last submission: a pause of a moment must not last through the drain.
  const stopSubmitting = new AbortController()
  const loops = new Loops(stopTaking.signal, parts.clock, log)
  closers.push(async () => {
    stopTaking.abort()
    stopSubmitting.abort()
  })

  const analysis = detecting ? await startAnalysis(parts, await detecting, closers) : null
  if (analysis) loops.keep('inference probe', analysis.probe(stopTaking.signal))

  const usesService = settings.roles.includes('intake') || settings.roles.includes('submit')
  const side = usesService ? await openServiceSide(parts, loops) : null
  if (side) closers.push(() => side.opened.close())
  if (side) loops.keep('service clock', side.opened.clock.run(stopTaking.signal))
  if (side?.contract) {
    closers.push(() => side.contract!.close())
    loops.keep('stake contract', side.contract.watch.run(stopTaking.signal))
  }

  const doppelgangers = side && createDoppelgangers(parts, side)
  const intake =
    side && doppelgangers && settings.roles.includes('intake') ? createIntake(parts, side, doppelgangers) : null
  if (intake) loops.keep('intake', intake.run(stopTaking.signal))
  const retryFailed = async () => {
    for (const assetId of (await analysis?.retryFailed()) ?? []) intake?.reconsider(assetId)
  }
  void retryFailed()
  const submission =
    side && doppelgangers && settings.roles.includes('submit')
      ? await startSubmission(parts, side, doppelgangers)
      : null
  if (doppelgangers?.isShared) loops.keep('doppelganger alarm', doppelgangers.follow(stopTaking.signal))
  if (side && submission) {
    loops.keep('submission gate', pauseWhileClosed(side.gate, submission, parts.clock, log, stopSubmitting.signal))
    if (!intake) loops.keep('stake watch', side.stake.watch(settings.listEveryMs, stopTaking.signal))
  }

  return {
    readiness: {
      detectors: analysis?.detectors ?? null,
      media: analysis ? activity.media : null,
      stream: side && intake ? { activity, gate: side.gate, idleMs: settings.streamIdleMs } : null,
      submission:
        side && doppelgangers && submission
          ? { gate: side.gate, serviceClock: side.opened.clock, windowMs: settings.timestampWindowMs, doppelgangers }
          : null,
      contract: side?.contract ?? null,
    },
    diskRest: analysis?.disk ?? null,
    review: { analysis, service: side?.opened ?? null },
    lost: loops.lost,
    get draining() {
      return stopTaking.signal.aborted
    },
    forgetRecords() {
      intake?.forget()
      doppelgangers?.forget()
    },
    submitted: (assetId, outcome) => (outcome === 'closed' ? intake?.reconsider(assetId) : intake?.scored(assetId)),
    detectorsChanged() {
      analysis?.workers
        .follow()
        .catch((error) => log.error({ err: error }, 'workers were not updated after the detectors changed'))
      void retryFailed()
    },
    async prune(ledger) {
      const now = await recordTime(parts.clock, side?.opened.clock ?? null, stopTaking.signal)
      if (now === null) return
      const { retainVerdictsMs, verdictBytes } = settings
      const verdicts = analysis?.verdicts ?? new VerdictStore(paths.verdicts, null, verdictBytes)
      await verdicts.prune(retainVerdictsMs, now)
      await ledger.prune(retainVerdictsMs, now)
    },
    async stop(drainMs) {
      stopTaking.abort()
      // Analysis ends first, so that a verdict made during the drain can still be submitted within it.
      const started = parts.clock.monotonic()
      const analyzed = await analysis?.workers.stop(drainMs * ANALYSIS_SHARE)
      const leftMs = () => Math.max(0, drainMs - (parts.clock.monotonic() - started))
      if (side && submission) await untilSubmitted(parts, side.gate, Math.min(leftMs(), LAST_SUBMISSIONS_MS))
      const submitted = await submission?.stop(leftMs())
      stopSubmitting.abort()
      await loops.ended(LOOPS_END_MS)
      return { drained: analyzed?.drained !== false && submitted?.drained !== false }
    },
  }
}

/** Waits while there is something to submit and nothing that forbids it, at most `capMs`. */
export async function untilSubmitted(
  { clock, queue }: Pick<DaemonParts, 'clock'> & { readonly queue: Pick<DaemonParts['queue'], 'counts'> },
  gate: Pick<Gate, 'check'>,
  capMs: number,
): Promise<void> {
  const deadline = clock.monotonic() + capMs
  const none = () => ({ waiting: 0, active: 0 })
  while (gate.check().open && clock.monotonic() < deadline) {
    // A Redis that does not answer would hold the stop longer than supervisors wait.
    const counted = queue.counts('submit').catch(none)
    const { waiting, active } = await withinLimit(clock, deadline - clock.monotonic(), counted, none)
    if (waiting + active === 0) return
    await clock.sleep(LAST_SUBMISSIONS_LOOK_MS)
  }
}

function createIntake(parts: DaemonParts, { opened, stake }: ServiceSide, doppelgangers: Doppelgangers): Intake {
  const { clock, log, queue, report, settings } = parts
  return new Intake({
    service: opened.service,
    queue,
    clock,
    random: Math.random,
    serviceClock: opened.clock,
    doppelgangers,
    log,
    events: report.pipeline,
    listEveryMs: settings.listEveryMs,
    onStake: (read) => stake.seen(read),
    onRefused: (failure) => stake.refused(failure),
    onStreamRefused: (signal) => void stake.confirm(signal),
  })
}

function createDoppelgangers(
  { clock, log, metrics, queue, settings }: DaemonParts,
  { gate, opened }: ServiceSide,
): Doppelgangers {
  const { storeTimeMs, timestampWindowMs } = settings
  return new Doppelgangers({
    clock,
    serviceClock: opened.clock,
    settleMs: timestampWindowMs + storeTimeMs,
    policy: settings.onDoppelganger,
    texts: queue.texts,
    gate,
    log,
    onFound: () => metrics.doppelgangers.inc({}),
  })
}

async function startSubmission(
  parts: DaemonParts,
  side: ServiceSide,
  doppelgangers: Doppelgangers,
): Promise<RunningWorker> {
  const { clock, log, queue, report, settings } = parts
  const { contract, gate, opened, stake } = side
  // A failure is reported by the watch.
  const firstReading = contract?.watch.refresh().catch(() => {})
  await withinLimit(clock, FIRST_STAKE_MS, Promise.resolve(firstReading), () => undefined)
  const needs = {
    service: opened.service,
    gate,
    serviceClock: opened.clock,
    timestampWindowMs: settings.timestampWindowMs,
    storeTimeMs: settings.storeTimeMs,
    confirmStake: (signal: AbortSignal) => stake.confirm(signal),
    doppelgangers,
    log,
  }
  return queue.work('submit', submit(needs), report.worker)
}
