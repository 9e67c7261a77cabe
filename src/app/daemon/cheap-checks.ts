import { once } from 'node:events'
import net from 'node:net'
import type { Settings } from '../../config/settings.js'
import { checkChosen } from '../../detect/package/package-loader.js'
import { bindError } from '../../observe/bind-error.js'
import { findFfmpeg } from '../open/find-program.js'
import { checkLimits } from '../open/process-limits.js'

/**
 * What would end the start, but only after the detectors were loaded: a low limit of the process, an address that cannot be
 * bound, an ffmpeg and a detector that are not there.
 * @throws AttestdError limits-low, port-in-use, setting-invalid
 */
export async function cheapChecks(settings: Settings): Promise<void> {
  await checkLimits(settings)
  await checkAddress(settings)
  if (!settings.roles.includes('analyze')) return
  await findFfmpeg(settings)
  await checkChosen(settings)
}

/** @throws AttestdError port-in-use, setting-invalid */
export async function checkAddress({
  httpHost: host,
  httpPort: port,
}: Pick<Settings, 'httpHost' | 'httpPort'>): Promise<void> {
  const server = net.createServer()
  try {
    server.listen({ host, port })
    await once(server, 'listening')
  } catch (error) {
    throw bindError(error, { host, port })
  } finally {
    await new Promise((closed) => server.close(closed))
  }
}
