import type { Settings } from '../../config/settings.js'
import { systemClock } from '../../core/clock.js'
import { parseGateway } from '../../media/ipfs/gateway.js'
import { probeGateway } from '../../media/ipfs/probe-gateway.js'
import { check, type Diagnosis, OUTSIDE_TIMEOUT_MS, skipped } from './diagnosis.js'

const FIX = 'Correct or remove it in ATTESTD_IPFS_GATEWAYS: a trustless gateway serves /ipfs/bafkqaaa?format=raw.'

/** Each gateway for itself, asked at the same time, where this daemon fetches media. One that is away fails only where no other serves. */
export async function diagnoseGateways(
  settings: Pick<Settings, 'ipfsGateways' | 'mediaMaxRedirects' | 'roles'>,
): Promise<Diagnosis[]> {
  const { ipfsGateways, mediaMaxRedirects: maxRedirects, roles } = settings
  if (!roles.includes('analyze')) return [skipped('gateway', 'this daemon does not analyze')]
  const limits = { clock: systemClock, maxRedirects, timeoutMs: OUTSIDE_TIMEOUT_MS }
  const ask = (url: string) => check('gateway', async () => `${await probeGateway(url, limits)} serves blocks`)
  const all = await Promise.all(ipfsGateways.map(ask))
  const isServed = all.some(({ outcome }) => outcome === 'ok')
  return all.map((found, nth) => {
    if (found.outcome !== 'failed') return found
    return {
      ...found,
      fix: found.fix ?? FIX,
      outcome: isServed && isGateway(ipfsGateways[nth]!) ? 'skipped' : 'failed',
    }
  })
}

/** What is none, `run` refuses. */
function isGateway(url: string): boolean {
  try {
    parseGateway(url)
    return true
  } catch {
    return false
  }
}
