import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { CID } from 'multiformats/cid'
import { z } from 'zod'
import { faultHooks, faultOf } from '../faults/fault-hooks.js'
import { Refusal } from '../http/refusal.js'
import { refusals } from '../http/wire.js'
import type { World } from '../world.js'
import { carBytes } from './car-stream.js'
import { DAG_SCOPES, type DagScope, dagBlocks, type ResolvedPath, resolvePath } from './dag-walk.js'
import { readBlock } from './directory-blockstore.js'
import { faultyBlocks, faultyBody } from './gateway-faults.js'

/** Content under a CID never changes. Source: trustless gateway specification, Cache-Control. */
const IMMUTABLE = 'public, max-age=29030400, immutable'

const RAW_TYPE = 'application/vnd.ipld.raw'
const CAR_TYPE = 'application/vnd.ipld.car'

const GatewayQuery = z.object({
  format: z.enum(['car', 'raw']).optional(),
  'dag-scope': z.enum(DAG_SCOPES).optional().meta({ description: 'How much of the DAG a CAR holds. Default all.' }),
  'car-dups': z.enum(['y', 'n']).optional().meta({ description: 'Whether a CAR repeats blocks. Default y.' }),
})

interface WantedFormat {
  readonly format: 'car' | 'raw'
  readonly scope: DagScope
  readonly duplicates: boolean
}

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
            304: z.null().meta({ description: 'The caller has it: If-None-Match is the ETag.' }),
            ...refusals(400, 404),
          },
        },
        ...faultHooks(world, 'gateway', { keyOf: (request) => (request.params as { '*': string })['*'] }),
      },
      async (request, reply) => {
        const wanted = wantedFormat(request.query, request.headers.accept ?? '')
        const resolved = await resolvedOf(world, request.params['*'])
        const etag = etagOf(resolved, wanted)
        setHeaders(reply, request, wanted, resolved, etag)
        if (request.headers['if-none-match'] === etag) return reply.code(304).send(null)
        return reply.send(await bodyOf(world, request, resolved, wanted))
      },
    )
  }
}

/** The query goes before Accept, as the gateway specification states. */
function wantedFormat(query: z.infer<typeof GatewayQuery>, accept: string): WantedFormat {
  const car = accept.split(',').find((part) => part.trim().startsWith(CAR_TYPE))
  const format = query.format ?? (car !== undefined ? 'car' : accept.includes(RAW_TYPE) ? 'raw' : null)
  if (format === null) {
    throw new Refusal('format-missing', `This gateway is trustless: ask for ?format=car or raw, or Accept ${CAR_TYPE}.`)
  }
  const asked = /dups=([yn])/.exec(car ?? '')?.[1]
  return { format, scope: query['dag-scope'] ?? 'all', duplicates: (query['car-dups'] ?? asked ?? 'y') === 'y' }
}

async function resolvedOf(world: World, contentPath: string): Promise<ResolvedPath> {
  const [first = '', ...segments] = contentPath.split('/').filter((segment) => segment !== '')
  let root: CID
  try {
    root = CID.parse(first)
  } catch {
    throw new Refusal('cid-invalid', 'The path does not begin with a CID.')
  }
  const resolved = await resolvePath(world.media.blocks, root, segments)
  if ((await readBlock(world.media.blocks, resolved.target)) === null) {
    throw new Refusal('content-not-found', `No block ${resolved.target.toString()} here.`)
  }
  return resolved
}

function etagOf(resolved: ResolvedPath, { format, scope, duplicates }: WantedFormat): string {
  if (format === 'raw') return `"${resolved.target.toString()}.raw"`
  return `W/"${resolved.root.toString()}.${resolved.target.toString()}.car.${scope}.${duplicates ? 'y' : 'n'}"`
}

function setHeaders(
  reply: FastifyReply,
  request: FastifyRequest,
  wanted: WantedFormat,
  resolved: ResolvedPath,
  etag: string,
): void {
  const isRaw = wanted.format === 'raw'
  const name = `${resolved.target.toString()}.${isRaw ? 'bin' : 'car'}`
  reply.headers({
    'content-type': isRaw ? RAW_TYPE : `${CAR_TYPE}; version=1; order=dfs; dups=${wanted.duplicates ? 'y' : 'n'}`,
    'content-disposition': `attachment; filename="${name}"`,
    'cache-control': IMMUTABLE,
    etag,
    vary: 'Accept',
    'x-content-type-options': 'nosniff',
    'x-ipfs-path': (request.raw.url ?? '').split('?')[0] ?? '',
    'x-ipfs-roots': resolved.target.toString(),
  })
}

async function bodyOf(
  world: World,
  request: FastifyRequest,
  resolved: ResolvedPath,
  { format, scope, duplicates }: WantedFormat,
): Promise<Readable> {
  const { blocks } = world.media
  const fault = faultOf(request)
  if (format === 'raw') {
    const bytes = (await readBlock(blocks, resolved.target)) ?? new Uint8Array()
    const block = faultyBlocks(fault, single({ cid: resolved.target, bytes }))
    return Readable.from(faultyBody(world, fault, bytesOf(block)))
  }
  const walked = faultyBlocks(fault, dagBlocks(blocks, resolved, { scope, duplicates }))
  return Readable.from(faultyBody(world, fault, carBytes(resolved.root, walked)))
}

async function* single<T>(value: T): AsyncGenerator<T> {
  yield value
}

async function* bytesOf(blocks: AsyncIterable<{ bytes: Uint8Array }>): AsyncGenerator<Uint8Array> {
  for await (const block of blocks) yield block.bytes
}
