import { createPublicClient, custom, type PublicClient } from 'viem'
import type { StatedTime } from '../core/clock.js'
import { AttestdError, attestdErrorIn } from '../core/errors.js'
import { type Backoff, backoffMs, honoredDelayMs } from '../core/retry.js'
import type { ChainHead } from './chain-reader.js'
import { blockAnswer, chainIdAnswer } from './rpc-answers.js'
import { RpcCaller, type RpcCallerOptions } from './rpc-caller.js'

/** Wait before a server that has not seen the latest block yet is asked again, ms; Base has a block each 2 s. */
const BEHIND_WAIT_MS = 1000
/** How long an endpoint that failed comes after the others. */
const BACKOFF: Backoff = { baseMs: 5000, maxMs: 5 * 60_000 }
/** The chain id is asked again after this time, ms: what stands behind an address may change without an error. */
const CHAIN_ID_HOLDS_MS = 10 * 60_000

export interface RpcEndpointOptions extends RpcCallerOptions {
  readonly chainId: number
  /** Age of the latest block from which it counts as stale, ms; the same holds ahead of what it is judged by. */
  readonly maxBlockAgeMs: number
  /** What the age of a block is judged by; the local clock where it is absent or null. */
  readonly blockTime?: (() => StatedTime | null) | undefined
}

/** One RPC endpoint: its checks before each use, and how long it comes last after a failure. */
export class RpcEndpoint {
  readonly name: string
  readonly #options: RpcEndpointOptions
  readonly #caller: RpcCaller
  #chainCheckedAt: number | null = null
  #failures = 0
  #restsUntil = Number.NEGATIVE_INFINITY

  constructor(options: RpcEndpointOptions) {
    this.#options = options
    this.#caller = new RpcCaller(options)
    this.name = this.#caller.name
  }

  /** Monotonic ms until which other endpoints come first. */
  get restsUntil(): number {
    return this.#restsUntil
  }

  /** Checks chain and latest block, then does the work, again where the server lags a block. @throws rpc-* */
  async use<T>(work: (client: PublicClient, head: ChainHead) => Promise<T>, signal?: AbortSignal): Promise<T> {
    await this.#checkChain(signal)
    const head = await this.#checkedHead(signal)
    try {
      return await work(this.#client(signal), head)
    } catch (error) {
      // One address often has several servers: the one that returned the block need not be the one asked next.
      if (attestdErrorIn(error)?.facts.behind !== true) throw error
      await this.#options.clock.sleep(BEHIND_WAIT_MS, signal)
      return work(this.#client(signal), head)
    }
  }

  /** @returns whether it had failed before */
  worked(): boolean {
    const recovered = this.#failures > 0
    this.#failures = 0
    this.#restsUntil = Number.NEGATIVE_INFINITY
    return recovered
  }

  failed(error: AttestdError): void {
    this.#failures += 1
    this.#chainCheckedAt = null
    // No jitter: the rest only decides on the order, it makes no request.
    const ownMs = backoffMs(this.#failures, BACKOFF, () => 1)
    this.#restsUntil = this.#options.clock.monotonic() + honoredDelayMs(error.retryAfterMs, ownMs)
  }

  /** What it answered does not fit the contract: the next use asks for the chain id again. */
  recheckChain(): void {
    this.#chainCheckedAt = null
  }

  close(): Promise<void> {
    return this.#caller.close()
  }

  async #checkChain(signal: AbortSignal | undefined): Promise<void> {
    const { chainId, clock } = this.#options
    const checkedAt = this.#chainCheckedAt
    if (checkedAt !== null && clock.monotonic() - checkedAt < CHAIN_ID_HOLDS_MS) return
    const served = chainIdAnswer.parse(await this.#caller.call('eth_chainId', [], signal))
    if (served !== chainId) {
      throw this.#refused('rpc-wrong-chain', `serves chain ${served}, not ${chainId}`)
    }
    this.#chainCheckedAt = clock.monotonic()
  }

  async #checkedHead(signal: AbortSignal | undefined): Promise<ChainHead> {
    const { blockTime, maxBlockAgeMs, clock } = this.#options
    const block = blockAnswer.safeParse(await this.#caller.call('eth_getBlockByNumber', ['latest', false], signal))
    if (!block.success) throw this.#refused('rpc-reply-invalid', 'returned no readable latest block')
    const blockMs = block.data.timestamp * 1000
    const { ms, by } = blockTime?.() ?? { ms: clock.now(), by: 'the local clock' }
    const apart = `${Math.round(Math.abs(ms - blockMs) / 1000)} s`
    if (ms - blockMs > maxBlockAgeMs) {
      throw this.#refused('rpc-stale', `has a latest block that is ${apart} old by ${by}`)
    }
    if (blockMs - ms > maxBlockAgeMs) {
      throw this.#refused('rpc-reply-invalid', `has a latest block that is ${apart} ahead of ${by}`)
    }
    return block.data
  }

  #refused(reason: 'rpc-wrong-chain' | 'rpc-stale' | 'rpc-reply-invalid', what: string): AttestdError {
    return new AttestdError(reason, `${this.name} ${what}`, { facts: { endpoint: this.name } })
  }

  /** A client for one piece of work, whose calls end with the signal. */
  #client(signal: AbortSignal | undefined): PublicClient {
    const request = ({ method, params }: { method: string; params?: unknown }) =>
      this.#caller.call(method, params, signal)
    return createPublicClient({
      transport: custom({ request }, { retryCount: 0 }),
      cacheTime: 0,
      // A contract must not send us to URLs of its choice (ERC-3668).
      ccipRead: false,
    })
  }
}
