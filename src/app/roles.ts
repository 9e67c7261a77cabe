import { setMaxListeners } from 'node:events'
import { toAttestdError } from '../core/errors.js'
import type { DetectorHost } from '../detect/detection.js'
import { analyze } from '../pipeline/analyze.js'
import { Gate } from '../pipeline/gate.js'
import { Intake } from '../pipeline/intake.js'
import type { Ledger } from '../pipeline/ledger.js'
import { watchStake } from '../pipeline/stake-watch.js'
import { submit } from '../pipeline/submit.js'
import { VerdictStore } from '../pipeline/verdict-store.js'
import type { RunningWorker } from '../queue/queues.js'
import type { Stake } from '../service/port.js'
import { probeInference } from './inference-probe.js'
import { openDetectors } from './open-detectors.js'
import { openMedia } from './open-media.js'
import { type OpenService, openService } from './open-service.js'
import type { DaemonParts } from './parts.js'
import type { ReadinessParts } from './readiness.js'
import { countDetectorEvent, countMediaEvent } from './room-events.js'

/** What this process does: intake, analyze and submit, or some of them. */
export interface Roles {
  readonly readiness: Pick<ReadinessParts, 'detectors' | 'stream' | 'submission'>
  readonly draining: boolean
  /** See `Intake.forget`. */
  forgetOffers(): void
  /** Removes what is older than the settings say. */
  prune(ledger: Ledger): Promise<void>
  stop(drainMs: number): Promise<{ drained: boolean }>
  close(): Promise<void>
}

interface Analysis {
  readonly detectors: DetectorHost
  readonly verdicts: VerdictStore
  readonly worker: RunningWorker
  close(): Promise<void>
}

/** More than all loops that end with the process have listeners; beyond it node warns of a leak. */
const MAX_LISTENERS = 100
/** The part of the drain that analysis may take; the rest is for submitting what it ended with. */
const ANALYSIS_SHARE = 0.75

/** Builds and starts the roles of the settings. */
export async function startRoles(parts: DaemonParts): Promise<Roles> {
  const { activity, metrics, options, paths } = parts
  const { settings, log } = options
  const stopTaking = new AbortController()
  // Every loop of every role listens; node would take more than ten for a leak.
  setMaxListeners(MAX_LISTENERS, stopTaking.signal)
  const background: Promise<unknown>[] = []
  const keep = (what: string, work: Promise<void>) =>
    background.push(work.catch((error) => log.error({ err: toAttestdError(error) }, `${what} ended`)))

  const analysis = settings.roles.includes('analyze') ? await startAnalysis(parts) : null
  if (analysis) keep('inference probe', probeInference(analysis.detectors, parts.clock, log, stopTaking.signal))

  const usesService = settings.roles.includes('intake') || settings.roles.includes('submit')
  const service = usesService ? openService(parts) : null
  if (service) keep('service clock', service.clock.run(stopTaking.signal))

  const gate = new Gate({
    clock: parts.clock,
    serviceClock: () => service?.clock.state() ?? { offsetMs: null, errorBoundMs: null, trusted: false },
  })
  const onStake = stakeListener(parts, gate)
  const onForbidden = () => {
    if (gate.refuse()) log.warn({ reason: 'service-forbidden' }, 'the service refused this key, submission paused')
    metrics.stakeEnough.set({}, 0)
  }
  const intake =
    service && settings.roles.includes('intake') ? createIntake(parts, service, { onStake, onForbidden }) : null
  if (intake) keep('intake', intake.run(stopTaking.signal))
  const submission = service && settings.roles.includes('submit') ? await startSubmission(parts, service, gate) : null
  if (submission && !intake) {
    const watch = {
      service: service!.service,
      clock: parts.clock,
      log,
      everyMs: settings.listEveryMs,
      onStake,
      onForbidden,
    }
    keep('stake watch', watchStake(watch, stopTaking.signal))
  }

  return {
    readiness: {
      detectors: analysis?.detectors ?? null,
      stream: intake ? { activity, idleMs: settings.streamIdleMs } : null,
      submission: submission ? { gate, serviceClock: () => service!.clock.state() } : null,
    },
    get draining() {
      return stopTaking.signal.aborted
    },
    forgetOffers: () => intake?.forget(),
    async prune(ledger) {
      const now = parts.clock.now()
      await (analysis?.verdicts ?? new VerdictStore(paths.verdicts)).prune(settings.retainVerdictsMs, now)
      await ledger.prune(settings.retainVerdictsMs, now)
    },
    async stop(drainMs) {
      stopTaking.abort()
      // Analysis ends first, so that a verdict made during the drain can still be submitted within it.
      const started = parts.clock.monotonic()
      const analyzed = await analysis?.worker.stop(drainMs * ANALYSIS_SHARE)
      const leftMs = Math.max(0, drainMs - (parts.clock.monotonic() - started))
      const submitted = await submission?.stop(leftMs)
      await Promise.all(background)
      return { drained: analyzed?.drained !== false && submitted?.drained !== false }
    },
    async close() {
      stopTaking.abort()
      await analysis?.close()
      await service?.close()
    },
  }
}

async function startAnalysis(parts: DaemonParts): Promise<Analysis> {
  const { clock, metrics, options, paths, queue, random, report } = parts
  const { settings, log } = options
  const detectors = await openDetectors(settings, { clock, random, log, onEvent: countDetectorEvent(metrics) })
  const media = await openMedia(settings, {
    cacheDir: paths.cache,
    clock,
    random,
    log,
    onEvent: countMediaEvent(metrics),
  })
  const verdicts = new VerdictStore(paths.verdicts)
  const { unsurePolicy } = settings
  const needs = { media, detectors, verdicts, queue, unsurePolicy, log, events: report.pipeline }
  const worker = await queue.work('analyze', (run) => analyze(run, needs), report.worker)
  return {
    detectors,
    verdicts,
    worker,
    async close() {
      await media.close()
      await detectors.close()
    },
  }
}

function createIntake(
  parts: DaemonParts,
  { service }: OpenService,
  listeners: { onStake: (stake: Stake) => void; onForbidden: () => void },
): Intake {
  const { clock, options, queue, random, report } = parts
  const { listEveryMs } = options.settings
  return new Intake({
    service,
    queue,
    clock,
    random,
    log: options.log,
    events: report.pipeline,
    listEveryMs,
    ...listeners,
  })
}

function startSubmission(parts: DaemonParts, { service, clock }: OpenService, gate: Gate): Promise<RunningWorker> {
  const { options, queue, report } = parts
  const { settings, log } = options
  const needs = {
    service,
    gate,
    serviceNow: () => clock.now(),
    timestampWindowMs: settings.timestampWindowMs,
    storeTimeMs: settings.serviceTimeoutMs,
    log,
    events: report.pipeline,
  }
  return queue.work('submit', (run) => submit(run, needs), report.worker)
}

/** Takes every stake that was read, and says when it crosses the minimum. */
function stakeListener({ metrics, options }: DaemonParts, gate: Gate): (stake: Stake) => void {
  return (stake) => {
    metrics.setStake(stake)
    if (!gate.updateStake(stake)) return
    const facts = { stakedWei: String(stake.stakedWei), minStakeWei: String(stake.minStakeWei) }
    if (gate.stakeOk) options.log.info(facts, 'stake suffices, submitting')
    else options.log.warn({ ...facts, reason: 'stake-low' }, 'stake is below the minimum, submission paused')
  }
}
