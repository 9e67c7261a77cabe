import type { PublicClient } from 'viem'

/** The latest block as an endpoint returned it. */
export interface ChainHead {
  readonly number: bigint
  /** Unix seconds. */
  readonly timestamp: number
}

/** Reads a chain over several RPC endpoints; each answer is of the right chain and of a block that is not too old. */
export interface ChainReader {
  readonly chainId: number
  /** The latest block. @throws AttestdError rpc-* */
  head(signal?: AbortSignal): Promise<ChainHead>
  /**
   * Does some reads at one endpoint that was checked just before, and at the next one where that fails, or where `work` throws
   * an `AttestdError` of its own. All reads of `work` should be pinned to the given block, so that they fit each other.
   * @throws AttestdError rpc-*, or the first that `work` threw if it succeeded at no endpoint
   */
  read<T>(work: (client: PublicClient, head: ChainHead) => Promise<T>, signal?: AbortSignal): Promise<T>
  close(): Promise<void>
}
