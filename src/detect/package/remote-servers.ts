import { AttestdError } from '../../core/errors.js'
import { isLoopback } from '../../core/net/loopback.js'
import type { DetectorPackage } from './package-loader.js'
import { asksServer } from './runtime.js'

/**
 * A token is handed to one server only, and never in clear over a network: a package names its server itself.
 * @param token null where there is none
 * @throws AttestdError setting-invalid
 */
export function checkTokenServers(packages: readonly DetectorPackage[], token: string | null): void {
  if (token === null) return
  const servers = new Map<string, string>()
  for (const { manifest } of packages) {
    if (!asksServer(manifest.runtime)) continue
    const { hostname, origin, protocol } = new URL(manifest.runtime.url)
    if (protocol !== 'https:' && !isLoopback(hostname)) {
      throw new AttestdError(
        'setting-invalid',
        `ATTESTD_DETECTOR_TOKEN would be sent unencrypted to ${origin}, which ${manifest.id} names. Use https, or unset the token.`,
      )
    }
    servers.set(origin, manifest.id)
  }
  if (servers.size <= 1) return
  const named = [...servers].map(([origin, id]) => `${origin} (${id})`).join(', ')
  throw new AttestdError(
    'setting-invalid',
    `ATTESTD_DETECTOR_TOKEN is for one server, but the detectors are on several: ${named}.`,
  )
}
