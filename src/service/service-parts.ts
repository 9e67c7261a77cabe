import { Agent } from 'undici'
import type { Clock, Random } from '../core/clock.js'
import type { Log } from '../core/log.js'
import { sharedLookup } from '../core/net/shared-lookup.js'
import { HttpCaller, type HttpOptions, type RequestEvent } from './http.js'
import type { OnMalformed } from './record.js'
import { ServiceClock, type ServiceClockOptions } from './service-clock.js'
import type { StreamReaderOptions } from './stream-reader.js'

/** What a client needs, whichever API it speaks. */
export interface ServiceOptions {
  /** An origin as the settings accept it: with `https:`, or where plain http is allowed. */
  readonly serviceUrl: string
  /** How far a timestamp may be from service time, milliseconds. */
  readonly timestampWindowMs: number
  /** Age at which the estimate of service time is renewed, milliseconds. */
  readonly clockRefreshMs: number
  /** For one request with its whole answer, and for the headers of the stream, milliseconds. */
  readonly requestTimeoutMs: number
  /** Longest silence of the stream, milliseconds. */
  readonly streamIdleMs: number
  readonly userAgent: string
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly onRequest?: (event: RequestEvent) => void
  readonly onMalformed?: OnMalformed
}

/** What both adapters are built on. */
export interface ServiceParts {
  readonly origin: URL
  readonly http: HttpCaller
  readonly clock: ServiceClock
  readonly reading: Omit<StreamReaderOptions, 'source'>
  /** Breaks off what is still on its way and closes the connections. */
  close(): Promise<void>
}

/** How this API reports its time, and what can be done about its refusals. Without `dateWithinMs` the Date of answers states nothing. */
type ApiOfService = Pick<ServiceClockOptions, 'readTime' | 'granularityMs' | 'dateWithinMs'> &
  Pick<HttpOptions, 'fixes'>

/** Requests, clock and streams of one service. */
export function createServiceParts(options: ServiceOptions, api: ApiOfService): ServiceParts {
  const { fixes, ...time } = api
  const { clock, log, random, onRequest, requestTimeoutMs, streamIdleMs, userAgent } = options
  const origin = new URL(options.serviceUrl)
  const http = new HttpCaller({
    clock,
    timeoutMs: requestTimeoutMs,
    userAgent,
    onRequest,
    onDate: time.dateWithinMs === undefined ? undefined : (ms) => serviceClock.sawDate(ms),
    fixes,
  })
  const serviceClock: ServiceClock = new ServiceClock({
    ...time,
    clock,
    log,
    windowMs: options.timestampWindowMs,
    refreshMs: options.clockRefreshMs,
  })
  // The reader has its own limits on headers and silence, and may pause for as long as its consumer works.
  const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0, connect: { lookup: sharedLookup } })
  const reading = { clock, random, dispatcher, userAgent, headerTimeoutMs: requestTimeoutMs, idleMs: streamIdleMs }
  return {
    origin,
    http,
    clock: serviceClock,
    reading,
    close: async () => {
      await Promise.all([http.close(), dispatcher.destroy()])
    },
  }
}
