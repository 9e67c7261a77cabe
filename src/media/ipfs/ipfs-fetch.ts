import type { Clock } from '../../core/clock.js'
import { AttestdError, isAbort } from '../../core/errors.js'
import type { Log } from '../../core/log.js'
import type { Reason } from '../../core/reasons.js'
import { followerOf } from '../../core/time-limit.js'
import { removeSpooled, type Spooled } from '../cache/spool.js'
import type { FetchPool, Transfer } from '../fetch-pool.js'
import type { OnMediaEvent } from '../media-event.js'
import type { IpfsUri } from '../uri.js'
import { HttpStatusError } from '../web/http-get.js'
import { openCar } from './car-fetch.js'
import { createByteBudget, fetchBlock, type Gateway, type GatewayHttp } from './gateway.js'
import type { GatewayHealth, GatewayOutcome } from './gateway-health.js'
import { type AttemptContext, HedgedRace, RaceLostError } from './hedged-race.js'
import { readUnixfsFile } from './unixfs-read.js'
import { VerifiedBlocks } from './verified-blocks.js'

/** What fetches from gateways share: `health` orders the gateways, `hedgeMs` is the patience of the race, ms. */
export interface IpfsFetchOptions {
  readonly http: GatewayHttp
  readonly health: GatewayHealth<Gateway>
  readonly hedgeMs: number
  readonly pool: Pick<FetchPool, 'mayHedge'>
  readonly maxBytes: number
  readonly clock: Clock
  readonly log: Log
  readonly onEvent: OnMediaEvent
}

/** One fetch; `write` takes the bytes of one attempt, and every attempt gets its own call. */
export interface IpfsFetch extends IpfsFetchOptions {
  readonly uri: IpfsUri
  readonly write: (source: AsyncIterable<Uint8Array>) => Promise<Spooled>
  readonly transfer: Transfer
}

/** Reasons that hold at every gateway: of verified blocks or the own disk. All others are one gateway's failure. */
const FINAL = new Set<Reason>([
  'uri-unsupported',
  'media-too-large',
  'media-empty',
  'media-corrupt',
  'content-hash-mismatch',
  'media-cache-failed',
])
/** Made once: an error takes its stack with it. */
const ATTEMPT_ENDED = new DOMException('the attempt has ended', 'AbortError')
/** Statuses by which a gateway states that it does not have (or may not give) this content. */
const NOT_HERE = new Set([403, 404, 410, 451])

/** Fetches a URI's file from the gateways, hedged, verified. @throws uri-unsupported, media-*, and what `write` throws */
export async function fetchIpfs(fetch: IpfsFetch): Promise<Spooled> {
  const { health, clock, hedgeMs, pool, transfer } = fetch
  const gateways = health.order()
  if (gateways.length === 0) throw noGateway(health.retryAfterMs())
  const race = new HedgedRace<Gateway, Spooled>({
    candidates: gateways,
    attempt: (gateway, context) => tryGateway(gateway, context, fetch),
    clock,
    hedgeMs,
    signal: transfer.signal,
    mayHedge: () => pool.mayHedge,
    isFinal: (error) => error instanceof AttestdError && FINAL.has(error.reason),
    onUnused: removeSpooled,
    onSlow: (gateway) => note(gateway, 'slow', undefined, fetch),
  })
  try {
    return await race.run()
  } catch (error) {
    throw error instanceof RaceLostError ? summary(error.errors, health.retryAfterMs()) : error
  }
}

async function tryGateway(gateway: Gateway, context: AttemptContext, fetch: IpfsFetch): Promise<Spooled> {
  const { onEvent, transfer } = fetch
  const disconnect = transfer.connect()
  let silent = true
  const arrived = (size: number) => {
    silent = false
    return transfer.arrived(size)
  }
  const report = (outcome: GatewayOutcome | 'cancelled') => onEvent({ type: 'gateway', gateway: gateway.name, outcome })
  try {
    const value = await readFrom(gateway, arrived, context, fetch)
    note(gateway, 'ok', undefined, fetch)
    report('ok')
    return value
  } catch (error) {
    const outcome = context.signal.aborted ? abortOutcome(context.signal.reason, silent) : outcomeOf(error)
    if (outcome !== 'cancelled') note(gateway, outcome, error, fetch)
    report(outcome)
    throw error
  } finally {
    disconnect()
  }
}

async function readFrom(
  gateway: Gateway,
  arrived: (bytes: number) => Promise<void>,
  { progress, signal }: AttemptContext,
  { http, maxBytes, uri, write }: IpfsFetch,
): Promise<Spooled> {
  const budget = createByteBudget(maxBytes, arrived)
  // Ends block requests that were made ahead when the attempt ends for another reason.
  const attempt = followerOf(signal)
  const blocks = new VerifiedBlocks({
    openCar: () => openCar(http, gateway, uri, budget, attempt.signal),
    fetchBlock: (cid) => fetchBlock(http, gateway, cid, budget, attempt.signal),
    maxBytes,
    onBlock: progress,
  })
  try {
    return await write(readUnixfsFile(uri, blocks, maxBytes))
  } finally {
    blocks.close()
    attempt.leave()
    attempt.abort(ATTEMPT_ENDED)
  }
}

/**
 * An attempt that the deadline of the whole fetch ended was too slow; one that lost or that nobody wants was not. Media that
 * trickles in is not the gateway's fault, silence is.
 */
function abortOutcome(reason: unknown, silent: boolean): GatewayOutcome | 'cancelled' {
  if (!(reason instanceof AttestdError)) return 'cancelled'
  const late = reason.reason === 'media-timeout' || (reason.reason === 'media-too-slow' && silent)
  return late ? 'timeout' : 'cancelled'
}

function outcomeOf(error: unknown): GatewayOutcome | 'cancelled' {
  if (error instanceof HttpStatusError) {
    if (error.status === 429) return 'rate-limited'
    return NOT_HERE.has(error.status) ? 'not-found' : 'failed'
  }
  if (!(error instanceof AttestdError)) return isAbort(error) ? 'cancelled' : 'failed'
  if (error.reason === 'media-integrity') return 'integrity'
  if (error.reason === 'media-timeout') return 'timeout'
  // The gateway delivered; what it delivered was not usable, and it verified.
  return FINAL.has(error.reason) ? 'ok' : 'failed'
}

function note(gateway: Gateway, outcome: GatewayOutcome, error: unknown, { health, log }: IpfsFetchOptions): void {
  const retryAfterMs = error instanceof AttestdError ? error.retryAfterMs : undefined
  const demoted = health.report(gateway, outcome, retryAfterMs)
  const facts = { gateway: gateway.name, outcome, err: error }
  if (demoted) log.warn(facts, 'gateway was moved to the back of the order')
  else if (outcome !== 'ok') log.debug(facts, 'gateway did not deliver')
}

function noGateway(retryAfterMs: number | undefined): AttestdError {
  const message = 'Every gateway asked for a pause (Retry-After).'
  return new AttestdError('media-unreachable', message, { retryAfterMs })
}

/** One error for many: the gravest reason, each gateway's sentence. */
function summary(errors: readonly unknown[], retryAfterMs: number | undefined): AttestdError {
  const named = errors.map((error) => (error instanceof AttestdError ? error : undefined))
  const has = (reason: Reason) => named.some((error) => error?.reason === reason)
  const reason = has('media-integrity')
    ? 'media-integrity'
    : named.every((error) => error?.reason === 'media-timeout')
      ? 'media-timeout'
      : 'media-unreachable'
  const details = errors.map((error) => (error instanceof Error ? error.message : String(error))).join(' ')
  return new AttestdError(reason, `No gateway delivered the media. ${details}`, { cause: errors.at(-1), retryAfterMs })
}
