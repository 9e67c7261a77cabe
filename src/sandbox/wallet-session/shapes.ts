import type { FastifyInstance } from 'fastify'

/**
 * Shapes other than those of `choices.ts` that wallet-session-api.md leaves open as well, which the sandbox speaks where
 * a test of a client asks for them. What is absent is as `choices.ts` states.
 */
export interface WalletSessionShapes {
  /** What the lists stand under. */
  readonly lists?: 'data' | 'results' | 'open'
  /** One asset, with its scores and aggregate, under `data`. */
  readonly asset?: 'data'
  /** `latestBlock: {…}`, `latestBlockNumber` and `latestBlockTimestamp`, `block` and `timestamp`, or an ISO date. */
  readonly chainTime?: 'latest-block' | 'prefixed' | 'block' | 'iso'
  /** Ids alone, as records or as texts. */
  readonly events?: 'ids' | 'texts'
  /** CRLF line ends, a tab in the statement, or a link to terms at another host in it. */
  readonly challenge?: 'crlf' | 'tab' | 'terms'
}

type Reply = Readonly<Record<string, unknown>>
type Reshape = (reply: Reply, shapes: WalletSessionShapes) => Reply

const inLists: Reshape = ({ assets, ...others }, { lists }) => ({ ...others, [lists ?? 'assets']: assets })

const RESHAPES: Readonly<Record<string, Reshape>> = {
  'GET /v1/assets/open': inLists,
  'GET /v1/assets/by-owner': inLists,
  'GET /v1/assets/:id': ({ asset, ...others }, shapes) =>
    shapes.asset === undefined ? { asset, ...others } : { data: { ...(asset as Reply), ...others } },
  'GET /v1/chain/latest': chainTimeOf,
}

/** Makes the answers of these routes take the other shapes. */
export function speakShapes(app: FastifyInstance, shapes: WalletSessionShapes): void {
  app.addHook('onSend', async (request, reply, payload) => {
    const reshape = RESHAPES[`${request.method} ${request.routeOptions.url}`]
    if (reshape === undefined || reply.statusCode !== 200 || typeof payload !== 'string') return payload
    return JSON.stringify(reshape(JSON.parse(payload), shapes))
  })
}

function chainTimeOf(reply: Reply, { chainTime }: WalletSessionShapes): Reply {
  const { chainId, number, timestamp } = reply
  switch (chainTime) {
    case 'latest-block':
      return { chainId, latestBlock: { number, timestamp } }
    case 'prefixed':
      return { chainId, latestBlockNumber: number, latestBlockTimestamp: timestamp }
    case 'block':
      return { chainId, block: number, timestamp }
    case 'iso':
      return { chainId, number, timestamp: new Date(Number(timestamp) * 1000).toISOString() }
    default:
      return reply
  }
}

/** The payload of a stream event with these assets. */
export function eventPayload<Asset extends { readonly id: string }>(assets: Asset[], { events }: WalletSessionShapes) {
  if (events === undefined) return { assets }
  return events === 'ids' ? { assets: assets.map(({ id }) => ({ id })) } : { assetIds: assets.map(({ id }) => id) }
}

/** The text of a challenge with this statement. */
export function challengeShape(
  text: (statement: string) => string,
  statement: string,
  { challenge }: WalletSessionShapes,
): string {
  if (challenge === 'crlf') return text(statement).replaceAll('\n', '\r\n')
  if (challenge === 'tab') return text(statement.replace(' ', '\t'))
  if (challenge === 'terms')
    return text(`${statement} I accept the terms: https://media.example/legal/terms-of-service`)
  return text(statement)
}
