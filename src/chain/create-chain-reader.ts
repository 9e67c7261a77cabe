import { BaseError } from 'viem'
import { AttestdError, attestdErrorIn } from '../core/errors.js'
import type { Log } from '../core/log.js'
import type { Reason } from '../core/reasons.js'
import { createThrottledLog, type ThrottledLog } from '../observe/throttled-log.js'
import type { ChainReader } from './chain-reader.js'
import { rpcUrlsOf } from './networks.js'
import { RpcEndpoint, type RpcEndpointOptions } from './rpc-endpoint.js'

/** One use of one endpoint, with its checks; for metrics. */
export interface RpcCallEvent {
  readonly endpoint: string
  readonly outcome: 'ok' | Reason
}

export interface ChainReaderOptions extends Omit<RpcEndpointOptions, 'url'> {
  /** The preferred first; empty for the chain's public endpoint. */
  readonly rpcUrls: readonly string[]
  readonly log: Log
  readonly onCall?: (event: RpcCallEvent) => void
}

type Count = (outcome: 'ok' | Reason) => void

/**
 * A contract that does not answer as it should, at one endpoint: the fault of the contract if no other endpoint reads it, and
 * of this endpoint if another one does (its node lacks the state, or serves another chain behind the same address).
 */
interface Doubt {
  readonly endpoint: RpcEndpoint
  readonly failure: AttestdError
  readonly count: Count
}

/** Reasons that speak against an endpoint, the ones a person must act on first. */
const AGAINST_ENDPOINT = [
  'rpc-wrong-chain',
  'rpc-stale',
  'rpc-reply-invalid',
  'rpc-unreachable',
] as const satisfies Reason[]

/**
 * Reads a chain at the first of several endpoints that serves the right chain with a recent block. One that failed comes
 * last for a while.
 * @throws AttestdError setting-missing where there is no endpoint, setting-invalid for what is no URL
 */
export function createChainReader(options: ChainReaderOptions): ChainReader {
  const { chainId, clock, log } = options
  const endpoints = urlsOf(options).map((url) => new RpcEndpoint({ ...options, url }))
  const troubles = createThrottledLog({ log, clock })

  const read: ChainReader['read'] = async (work, signal) => {
    const failures: AttestdError[] = []
    const doubts: Doubt[] = []
    const blame = (endpoint: RpcEndpoint, failure: AttestdError, count: Count) => {
      endpoint.failed(failure)
      count(failure.reason)
      report(troubles, endpoint, failure)
    }
    const worked = (endpoint: RpcEndpoint, count: Count) => {
      if (endpoint.worked()) log.info({ endpoint: endpoint.name }, 'an rpc endpoint answered again')
      count('ok')
    }
    for (const endpoint of inOrder(endpoints, clock.monotonic())) {
      signal?.throwIfAborted()
      const count: Count = (outcome) => options.onCall?.({ endpoint: endpoint.name, outcome })
      try {
        const result = await endpoint.use(work, signal)
        for (const doubt of doubts) blame(doubt.endpoint, doubt.failure, doubt.count)
        worked(endpoint, count)
        return result
      } catch (error) {
        if (signal?.aborted) throw signal.reason
        const failure = failureOf(error, endpoint.name)
        if (failure === null) throw error
        if (isAgainstEndpoint(failure)) {
          blame(endpoint, failure, count)
          failures.push(failure)
        } else {
          endpoint.recheckChain()
          doubts.push({ endpoint, failure, count })
        }
      }
    }
    for (const { count, endpoint } of doubts) worked(endpoint, count)
    throw doubts[0]?.failure ?? allFailed(failures)
  }
  return {
    chainId,
    read,
    head: (signal) => read(async (_client, head) => head, signal),
    close: async () => {
      await Promise.all(endpoints.map((endpoint) => endpoint.close()))
    },
  }
}

function urlsOf(options: ChainReaderOptions): readonly string[] {
  const urls = rpcUrlsOf(options)
  if (urls.length === 0) {
    const message = `no public RPC endpoint of chain ${options.chainId} is known; set ATTESTD_RPC_URLS`
    throw new AttestdError('setting-missing', message)
  }
  const wrong = urls.findIndex((url) => !URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
  if (wrong === -1) return urls
  throw new AttestdError('setting-invalid', `RPC endpoint ${wrong + 1} of ATTESTD_RPC_URLS is not an http(s) URL`)
}

/** As configured, except that endpoints that failed lately come last, the one that rests least first. */
function inOrder(endpoints: readonly RpcEndpoint[], now: number): readonly RpcEndpoint[] {
  const resting = endpoints.filter((endpoint) => endpoint.restsUntil > now)
  const ready = endpoints.filter((endpoint) => endpoint.restsUntil <= now)
  return [...ready, ...resting.sort((a, b) => a.restsUntil - b.restsUntil)]
}

/** What went wrong, out of what viem wrapped around it; null for an error of ours that is no failure of an endpoint. */
function failureOf(error: unknown, endpoint: string): AttestdError | null {
  const ours = attestdErrorIn(error)
  if (ours !== null || !(error instanceof BaseError)) return ours
  const message = `${endpoint} returned an answer that cannot be used: ${error.shortMessage}`
  return new AttestdError('rpc-reply-invalid', message, { facts: { endpoint } })
}

const isAgainstEndpoint = ({ reason }: AttestdError): boolean => AGAINST_ENDPOINT.some((each) => each === reason)

function report(troubles: ThrottledLog, { name }: RpcEndpoint, { reason, message }: AttestdError): void {
  troubles.trouble({ reason, subject: name, message: 'an rpc endpoint failed', facts: { detail: message } })
}

/** One error for all endpoints, with the reason that most needs a person. */
function allFailed(failures: readonly AttestdError[]): AttestdError {
  const [first] = failures
  if (first && failures.length === 1) return first
  const reason =
    AGAINST_ENDPOINT.find((each) => failures.some((failure) => failure.reason === each)) ?? 'rpc-unreachable'
  const message = `no RPC endpoint can be used: ${failures.map((failure) => failure.message).join('; ')}`
  return new AttestdError(reason, message, { facts: { endpoints: failures.length } })
}
