import { once } from 'node:events'
import net from 'node:net'
import type { Settings } from '../../config/settings.js'
import { checkChosen } from '../../detect/package/package-loader.js'
import { bindError } from '../../observe/bind-error.js'

/**
 * What would end the start, but only after the detectors were loaded: an address that cannot be bound, and a detector that is
 * not there.
 * @throws AttestdError port-in-use, setting-invalid
 */
export async function cheapChecks(settings: Settings): Promise<void> {
  await checkAddress(settings.httpHost, settings.httpPort)
  if (settings.roles.includes('analyze')) await checkChosen(settings)
}

async function checkAddress(host: string, port: number): Promise<void> {
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
