import type { FetchPoolUse } from './fetch-pool.js'
import type { GatewayOutcome } from './ipfs/gateway-health.js'

/** What happened, for metrics. */
export type MediaEvent =
  /** An attempt on a gateway ended; `cancelled` lost a race without fault. */
  | {
      readonly type: 'gateway'
      /** Host and port of the gateway. */
      readonly gateway: string
      readonly outcome: GatewayOutcome | 'cancelled'
    }
  /** The cache was asked, or acted: `shared` joined a fetch that was under way. */
  | {
      readonly type: 'cache'
      readonly outcome: 'hit' | 'miss' | 'shared' | 'corrupt' | 'evicted'
      readonly bytes: number
    }
  | {
      readonly type: 'fetched'
      readonly scheme: 'ipfs' | 'https'
      readonly bytes: number
      readonly ms: number
    }
  /** A fetch ended for now, for its rate or for want of a connection. */
  | {
      readonly type: 'put-off'
      readonly scheme: 'ipfs' | 'https'
      readonly reason: 'media-too-slow' | 'media-busy'
    }
  | ({ readonly type: 'pool' } & FetchPoolUse)

/** Fed by fetches and the cache; `app/` turns what it gets into metrics. */
export type OnMediaEvent = (event: MediaEvent) => void
