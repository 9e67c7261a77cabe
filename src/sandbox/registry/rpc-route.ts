import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import type { World } from '../world.js'
import { answerMemoryRpc, MEMORY_CONTRACT } from './memory-rpc.js'
import type { StakeRegistry } from './stake-registry.js'

/** Path of the RPC endpoint of a sandbox that has no chain. */
export const RPC_PATH = '/sandbox/rpc'

/** Stake and roles in memory, asked as a chain is: JSON-RPC. There is no such route where the sandbox has a chain. */
export function rpcRoute({ registry }: Pick<World, 'registry'>): FastifyPluginAsyncZod {
  return async (app) => {
    if (registry.kind !== 'memory') return
    app.post(
      RPC_PATH,
      {
        schema: {
          tags: ['sandbox'],
          summary: 'Stake contract by JSON-RPC',
          description: 'Reads of the stake contract without a chain: eth_call, eth_getBlockByNumber and the like.',
          body: z.unknown(),
          response: { 200: z.unknown(), 503: z.unknown() },
        },
      },
      async (request, reply) => {
        try {
          return await answerMemoryRpc(registry, request.body)
        } catch {
          return reply.code(503).send({ error: 'The chain does not answer.' })
        }
      },
    )
  }
}

/** Where the stake contract of a running sandbox is read, with a chain or without one. */
export function chainAccessOf({ registry, url }: { readonly registry: StakeRegistry; readonly url: string }) {
  const { chainId, contract, kind, rpcUrl } = registry
  return {
    kind,
    chainId,
    contract: contract ?? MEMORY_CONTRACT,
    rpcUrl: rpcUrl ?? new URL(RPC_PATH, url).href,
  } as const
}
