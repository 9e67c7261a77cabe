import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import type { StakeRegistry } from '../books/stake-registry.js'
import { answerRpc, STAKE_CONTRACT } from './stake-rpc.js'

export const RPC_PATH = '/sandbox/rpc'

/** Where the stake contract of a running sandbox is read. */
export interface ChainAccess {
  readonly chainId: number
  readonly contract: `0x${string}`
  readonly rpcUrl: string
}

export function chainAccessOf({ chainId }: StakeRegistry, url: string): ChainAccess {
  return { chainId, contract: STAKE_CONTRACT, rpcUrl: `${url}${RPC_PATH}` }
}

/** The stake contract by JSON-RPC; 503 while the chain is stopped. */
export function rpcRoute(registry: StakeRegistry): FastifyPluginAsyncZod {
  return async (app) => {
    app.post(
      RPC_PATH,
      {
        schema: {
          tags: ['sandbox'],
          summary: 'Stake contract by JSON-RPC',
          description: 'Reads of the stake contract: eth_call, eth_getBlockByNumber and the like.',
          body: z.unknown(),
          response: { 200: z.unknown() },
        },
      },
      async (request) => answerRpc(registry, request.body),
    )
  }
}
