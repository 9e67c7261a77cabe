import { Readable } from 'node:stream'
import { CarWriter } from '@ipld/car'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { varint } from 'multiformats'
import type { CID } from 'multiformats/cid'
import { z } from 'zod'
import { faultHooks, faultOf } from '../faults/fault-hooks.js'
import { Refusal } from '../http/refusal.js'
import { refusals } from '../http/wire.js'
import type { World } from '../world.js'
import { type CarBlock, DAG_SCOPES, dagBlocks, resolvePath } from './dag-walk.js'
import { faultyBlocks, faultyBody } from './gateway-faults.js'

/** Content under a CID never changes. Source: trustless gateway specification, Cache-Control. */
const IMMUTABLE = 'public, max-age=29030400, immutable'

const RAW_TYPE = 'application/vnd.ipld.raw'
const CAR_TYPE = 'application/vnd.ipld.car'

const GatewayQuery = z.object({
  format: z.enum(['car', 'raw']).optional(),
  'dag-scope': z.enum(DAG_SCOPES).default('all').meta({ description: 'How much of the DAG a CAR holds.' }),
})

/** The trustless IPFS gateway over the media store: raw blocks and CARs, never deserialized files. */
export function gatewayRoutes(world: World): FastifyPluginAsyncZod {
  return async (app) => {
    app.get(
      '/ipfs/*',
      {
        exposeHeadRoute: true,
        schema: {
          tags: ['media'],
          summary: 'Trustless IPFS gateway: /ipfs/CID or /ipfs/CID/path',
          description:
            'Answers with a raw block or a CAR (v1, dfs, duplicates), chosen by `format` or by Accept. One of both is required.',
          params: z.object({ '*': z.string().meta({ description: 'CID, and a path under it.' }) }),
          querystring: GatewayQuery,
          response: {
            200: {
              description: 'Blocks to be verified by the caller.',
              content: { [CAR_TYPE]: { schema: z.any() }, [RAW_TYPE]: { schema: z.any() } },
            },
            ...refusals(400, 404),
          },
        },
        ...faultHooks(world, 'gateway', { keyOf: (request) => (request.params as { '*': string })['*'] }),
      },
      async (request, reply) => {
        const { accept = '' } = request.headers
        const format = request.query.format ?? formatOf(accept)
        const resolved = await resolvePath(world.media.blocks, request.params['*'])
        reply.headers({
          'content-type': format === 'raw' ? RAW_TYPE : `${CAR_TYPE}; version=1; order=dfs; dups=y`,
          'content-disposition': `attachment; filename="${resolved.target.toString()}.${format === 'raw' ? 'bin' : 'car'}"`,
          'cache-control': IMMUTABLE,
          vary: 'Accept',
          'x-content-type-options': 'nosniff',
          'x-ipfs-path': (request.raw.url ?? '').split('?')[0] ?? '',
          'x-ipfs-roots': resolved.target.toString(),
        })
        const fault = faultOf(request)
        const scope = format === 'raw' ? 'block' : request.query['dag-scope']
        const wanted = format === 'raw' ? { ...resolved, way: [] } : resolved
        const blocks = faultyBlocks(fault, dagBlocks(world.media.blocks, wanted, scope))
        const body = format === 'raw' ? bytesOf(blocks) : carBytes(resolved.root, blocks)
        return reply.send(Readable.from(faultyBody(world, fault, body)))
      },
    )
  }
}

/** The query goes before Accept, as the gateway specification states. */
function formatOf(accept: string): 'car' | 'raw' {
  if (accept.includes(CAR_TYPE)) return 'car'
  if (accept.includes(RAW_TYPE)) return 'raw'
  throw new Refusal('format-missing', `This gateway is trustless: ask for ?format=car or raw, or Accept ${CAR_TYPE}.`)
}

async function* bytesOf(blocks: AsyncIterable<{ bytes: Uint8Array }>): AsyncGenerator<Uint8Array> {
  for await (const block of blocks) yield block.bytes
}

/** A CAR v1 as it is produced block by block, so that a reader that leaves stops the walk. */
export async function* carBytes(root: CID, blocks: AsyncIterable<CarBlock>): AsyncGenerator<Uint8Array> {
  yield* carHeader(root)
  for await (const block of blocks) yield carSection(block)
}

async function* carHeader(root: CID): AsyncGenerator<Uint8Array> {
  const { writer, out } = CarWriter.create([root])
  const closed = writer.close()
  yield* out
  await closed
}

/** Source: CAR v1 specification: varint length, CID bytes, block bytes. */
function carSection({ cid, bytes }: CarBlock): Uint8Array {
  const length = cid.bytes.byteLength + bytes.byteLength
  const prefix = varint.encodeTo(length, new Uint8Array(varint.encodingLength(length)))
  return Buffer.concat([prefix, cid.bytes, bytes])
}
