import type { WalletSessionShapes } from '../../src/sandbox/wallet-session/shapes.js'

type Reply = Readonly<Record<string, unknown>>

const chainTime = (
  reshape: (time: Record<'chainId' | 'number' | 'timestamp', number>) => Reply,
): WalletSessionShapes => ({
  replies: { 'GET /v1/chain/latest': (reply) => reshape(reply as never) },
})
const listed = (under: string): WalletSessionShapes => ({
  replies: { 'GET /v1/assets/open': ({ assets, ...others }) => ({ ...others, [under]: assets }) },
})
const challenge = (change: (text: string) => string): WalletSessionShapes => ({ challenge: change })

/** Shapes that wallet-session-api.md leaves open, other than those of the sandbox. */
export const OTHER_SHAPES = {
  'time-latest-block': chainTime(({ chainId, ...latestBlock }) => ({ chainId, latestBlock })),
  'time-prefixed': chainTime(({ chainId, number, timestamp }) => ({
    chainId,
    latestBlockNumber: number,
    latestBlockTimestamp: timestamp,
  })),
  'time-block': chainTime(({ chainId, number, timestamp }) => ({ chainId, block: number, timestamp })),
  'time-iso': chainTime(({ timestamp, ...others }) => ({
    ...others,
    timestamp: new Date(timestamp * 1000).toISOString(),
  })),
  'list-data': listed('data'),
  'list-results': listed('results'),
  'list-open': listed('open'),
  'asset-data': {
    replies: { 'GET /v1/assets/:id': ({ asset, ...others }) => ({ data: { ...(asset as Reply), ...others } }) },
  },
  'event-ids': { event: (assets) => ({ assets: assets.map(({ id }) => ({ id })) }) },
  'event-texts': { event: (assets) => ({ assetIds: assets.map(({ id }) => id) }) },
  'challenge-crlf': challenge((text) => text.replaceAll('\n', '\r\n')),
  'challenge-tab': challenge((text) => text.replace('Open a', 'Open\ta')),
  'challenge-terms': challenge((text) =>
    text.replace('costs nothing.', 'costs nothing. I accept the terms: https://media.example/legal/terms-of-service'),
  ),
} as const satisfies Readonly<Record<string, WalletSessionShapes>>

/** The name of one of them. */
export type OtherShape = keyof typeof OTHER_SHAPES
