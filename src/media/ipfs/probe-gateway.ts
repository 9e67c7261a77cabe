import type { Clock } from '../../core/clock.js'
import { AttestdError } from '../../core/errors.js'
import { startDeadline } from '../../core/time-limit.js'
import { createAddressGuard } from '../web/address-guard.js'
import { bodyChunks } from '../web/http-get.js'
import { createGatewayHttp, parseGateway } from './gateway.js'

/** The empty block, inside its own CID, which every trustless gateway serves. Source: trustless gateway specification, probing. */
const PROBE = '/ipfs/bafkqaaa?format=raw'

/** Limits of a probe; `timeoutMs` is for all of it, ms. */
export interface ProbeOptions {
  readonly clock: Clock
  readonly maxRedirects: number
  readonly timeoutMs: number
}

/**
 * Asks a gateway for a block that it always has.
 * @param url as configured, with its credentials
 * @returns host and port
 * @throws AttestdError setting-invalid, media-integrity, media-redirects, media-timeout, media-unreachable
 */
export async function probeGateway(url: string, { clock, maxRedirects, timeoutMs }: ProbeOptions): Promise<string> {
  const gateway = parseGateway(url)
  const guard = createAddressGuard({ connectTimeoutMs: timeoutMs })
  const http = createGatewayHttp({ guard, maxRedirects, idleMs: timeoutMs, connectTimeoutMs: timeoutMs, clock })
  const late = () => new AttestdError('media-timeout', `${gateway.name} did not answer within ${timeoutMs / 1000} s.`)
  const limit = startDeadline(clock, timeoutMs, undefined, late)
  try {
    const reply = await http.get(gateway, PROBE, 'application/vnd.ipld.raw', limit.signal)
    for await (const { length } of bodyChunks(reply, limit.signal)) {
      if (length > 0)
        throw new AttestdError('media-integrity', `${gateway.name} sent something else for an empty block.`)
    }
    return gateway.name
  } finally {
    limit.clear()
    await Promise.all([http.close(), guard.dispatcher.destroy()])
  }
}
