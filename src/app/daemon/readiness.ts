import { clockText } from '../../core/clock.js'
import { sizeText } from '../../core/disk/free-space.js'
import { duration } from '../../core/duration.js'
import { etherOf } from '../../core/ether.js'
import type { DetectorHost } from '../../detect/detection.js'
import type { CheckResult, Health } from '../../observe/health.js'
import type { Doppelgangers } from '../../pipeline/doppelgangers.js'
import type { Gate, StakeRefusal } from '../../pipeline/gate.js'
import { pausedQueues } from '../../queue/paused-queues.js'
import { type QueueEngine, queueWords } from '../../queue/queues.js'
import { clockTrouble } from '../../service/clock-trouble.js'
import type { ServiceClock } from '../../service/service-clock.js'
import type { Activity } from './activity.js'
import { type DiskRest, FULL_BYTES } from './disk-rest.js'
import type { MediaWatch } from './media-watch.js'
import type { WatchedContract } from './service-side.js'

/** The parts that readiness looks at; a process without a role has no such part, and no such check. */
export interface ReadinessParts {
  readonly health: Health
  readonly draining: () => boolean
  readonly queue: QueueEngine
  readonly disk: {
    /** Room on the disk of the data directory, bytes. */
    readonly free: () => Promise<number>
    /** Below this the check warns, bytes. */
    readonly leastBytes: number
    /** Null where nothing is analyzed. */
    readonly rest: Pick<DiskRest, 'refusal'> | null
  }
  readonly detectors: DetectorHost | null
  readonly media: Pick<MediaWatch, 'outage'> | null
  readonly stream: { readonly activity: Activity; readonly gate: Gate; readonly idleMs: number } | null
  readonly contract: WatchedContract | null
  readonly submission: {
    readonly gate: Gate
    readonly serviceClock: Pick<ServiceClock, 'state'>
    /** How far a timestamp may be from service time, ms. */
    readonly windowMs: number
    readonly doppelgangers: Pick<Doppelgangers, 'findings'>
  } | null
}

/** A daemon that has not inferred for longer than this is not ready, ms; one at work may take a file's limit longer. */
const INFERENCE_FRESH_MS = 60_000

/** Registers the checks of `/readyz`: queue, disk, running, inference, media, stream, stake, clock, alone. */
export function registerReadiness({
  health,
  draining,
  queue,
  disk,
  detectors,
  media,
  stream,
  submission,
  contract,
}: ReadinessParts): void {
  health.register('queue', () => queueCheck(queue), 'queue-unreachable')
  health.register('disk', () => diskCheck(disk))
  health.register('running', () =>
    draining()
      ? { ok: false, reason: 'draining', message: 'The daemon is stopping.' }
      : { ok: true, message: 'The daemon accepts work.' },
  )
  if (detectors) health.register('inference', () => inferenceCheck(detectors))
  if (media) health.register('media', () => mediaCheck(media))
  if (stream) health.register('stream', () => streamCheck(stream))
  if (submission) {
    health.register('stake', () => stakeCheck(submission, contract))
    health.register('clock', () => clockCheck(submission))
    health.register('alone', () => aloneCheck(submission))
  }
}

async function queueCheck(queue: QueueEngine): Promise<CheckResult> {
  // First, because the command after it would wait for an engine that is away.
  await queue.ping()
  const paused = queueWords(await pausedQueues(queue))
  if (paused.length === 0) return { ok: true, message: 'The queue engine answers.' }
  return { ok: false, reason: 'queue-paused', message: `Paused: ${paused.join(', ')}.` }
}

async function diskCheck({ free, leastBytes, rest }: ReadinessParts['disk']): Promise<CheckResult> {
  if (rest?.refusal) return { ok: false, ...rest.refusal }
  const bytes = await free()
  const message = `${sizeText(bytes)} are free on the disk of the data directory.`
  if (bytes < FULL_BYTES) return { ok: false, reason: 'disk-full', message }
  return bytes < leastBytes ? { ok: true, reason: 'disk-low', message } : { ok: true, message }
}

/** A warning: the fault may be that of the files, and a daemon that fetches nothing still submits. */
function mediaCheck({ outage }: Pick<MediaWatch, 'outage'>): CheckResult {
  if (outage === null) return { ok: true, message: 'Media arrives.' }
  const { failures, reason, sinceMs } = outage
  return {
    ok: true,
    reason,
    message: `No media arrived for ${duration(sinceMs)}: ${failures} fetches failed in a row. They are retried.`,
  }
}

function inferenceCheck(detectors: DetectorHost): CheckResult {
  const { lastInferenceAgoMs, ready, busy, timeoutMs, unreachable } = detectors.state()
  const detail = { processesReady: ready, processesBusy: busy }
  const message = `The last inference was ${Math.round(lastInferenceAgoMs / 1000)} s ago.`
  if (unreachable.length > 0) {
    const away = `The model server of ${unreachable.join(', ')} does not answer; its files are retried later.`
    return { ok: false, reason: 'detector-unreachable', message: away, detail }
  }
  if (lastInferenceAgoMs <= INFERENCE_FRESH_MS + (busy > 0 ? timeoutMs : 0)) return { ok: true, message, detail }
  return { ok: false, reason: 'detector-unavailable', message, detail }
}

function streamCheck({ activity, gate, idleMs }: NonNullable<ReadinessParts['stream']>): CheckResult {
  const { connected, lastByteAgeMs } = activity.stream()
  if (!connected || lastByteAgeMs === null) {
    // A service that lets the key do nothing refuses the stream too: that is the story to tell.
    return { ok: false, reason: gate.shutOut ?? activity.streamLost, message: 'The event stream is not connected.' }
  }
  const message = `The stream last sent data ${Math.round(lastByteAgeMs / 1000)} s ago.`
  return lastByteAgeMs <= idleMs ? { ok: true, message } : { ok: false, reason: 'stream-silent', message }
}

function stakeCheck(
  { gate, serviceClock }: NonNullable<ReadinessParts['submission']>,
  contract: ReadinessParts['contract'],
): CheckResult {
  if (gate.keyRefused)
    return { ok: false, reason: 'service-unauthorized', message: 'The service refuses the credentials.' }
  // What keeps service time from being read keeps the stake, too.
  const failure = gate.stakeTrouble === 'stake-unknown' ? serviceClock.state().failure : undefined
  const reason = failure?.reason ?? gate.stakeTrouble
  const message = stakeText(gate, contract)
  if (reason) return { ok: false, reason, message, fix: failure?.fix }
  // The last reading stays in force, so the wallet may have less by now.
  return contract?.trouble ? { ok: true, reason: contract.trouble.reason, message } : { ok: true, message }
}

function readingText({ readAgeMs, trouble }: WatchedContract): string {
  const age = readAgeMs === null ? 'was not read' : `was last read ${duration(readAgeMs)} ago`
  return ` The stake contract ${age}${trouble ? `: ${trouble.message}` : '.'}`
}

function stakeText(gate: Gate, contract: ReadinessParts['contract']): string {
  const { shutOut, stake, stakeDoubted, stakeTrouble } = gate
  if (stakeTrouble === 'role-missing') return 'The stake contract does not list the wallet as an attester.'
  if (shutOut !== null && !gate.stakeLow) return refusalText(shutOut)
  const why = contract?.trouble ? ` (${contract.trouble.message})` : ''
  if (stake && stakeDoubted) {
    return `The service refused a score, and the stake contract has not been read since${why}.`
  }
  return stake
    ? `Staked ${etherOf(stake.stakedWei, 6)} ether of at least ${etherOf(stake.minStakeWei, 6)}.${contract ? readingText(contract) : ''}`
    : `The stake has not been read yet${why}.`
}

function refusalText(refusal: StakeRefusal): string {
  return refusal === 'stake-low'
    ? 'The service refuses this key or wallet because of its stake, and does not state how much it is.'
    : 'The service refuses this key or wallet, as it does when the stake is below the minimum.'
}

function clockCheck({ serviceClock, windowMs }: NonNullable<ReadinessParts['submission']>): CheckResult {
  const state = serviceClock.state()
  const reason = clockTrouble(state, windowMs)
  const { errorBoundMs, failure, objection, offsetMs } = state
  if (failure) {
    const { fix, message, reason } = failure
    return { ok: false, reason, message: `Service time could not be read: ${message}`, fix }
  }
  if (offsetMs === null) return { ok: false, reason: 'clock-untrusted', message: 'Service time has not been read yet.' }
  if (objection !== undefined) {
    return { ok: false, reason: 'clock-untrusted', message: `The service contradicts itself: ${objection}.` }
  }
  const message = `Service time is known; ${clockText(offsetMs)}, ± ${errorBoundMs} ms.`
  return reason ? { ok: false, reason, message } : { ok: true, message }
}

/** With the setting `warn` the daemon continues and stays ready, with a warning. */
function aloneCheck({ doppelgangers, gate }: NonNullable<ReadinessParts['submission']>): CheckResult {
  const { lastAsset, scores } = doppelgangers.findings
  if (lastAsset === null) return { ok: true, message: 'No foreign scores found.' }
  const message = `Scores that no daemon on this queue sent: ${scores}, the last for asset ${lastAsset}.`
  return gate.closedFor ? { ok: false, reason: gate.closedFor, message } : { ok: true, reason: 'doppelganger', message }
}
