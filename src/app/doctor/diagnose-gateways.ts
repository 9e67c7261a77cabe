import type { Settings } from '../../config/settings.js'
import { systemClock } from '../../core/clock.js'
import { probeGateway } from '../../media/ipfs/probe-gateway.js'
import { check, type Diagnosis, OUTSIDE_TIMEOUT_MS, skipped } from './diagnosis.js'

const FIX = 'Correct or remove it in ATTESTD_IPFS_GATEWAYS: a trustless gateway serves /ipfs/bafkqaaa?format=raw.'

/** Each gateway for itself, asked at the same time, where this daemon fetches media. */
export async function diagnoseGateways(
  settings: Pick<Settings, 'ipfsGateways' | 'mediaMaxRedirects' | 'roles'>,
): Promise<Diagnosis[]> {
  const { ipfsGateways, mediaMaxRedirects: maxRedirects, roles } = settings
  if (!roles.includes('analyze')) return [skipped('gateway', 'this daemon does not analyze')]
  return Promise.all(
    ipfsGateways.map(async (url) => {
      const limits = { clock: systemClock, maxRedirects, timeoutMs: OUTSIDE_TIMEOUT_MS }
      const found = await check('gateway', async () => `${await probeGateway(url, limits)} serves blocks`)
      return found.outcome === 'failed' ? { ...found, fix: FIX } : found
    }),
  )
}
