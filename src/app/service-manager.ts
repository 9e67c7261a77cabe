import { spawn } from 'node:child_process'
import type { Log } from '../core/log.js'

/** What a service manager is notified of, see sd_notify(3): started, or stopping from now on. */
export type ServiceState = 'READY=1' | 'STOPPING=1'

/**
 * Notifies systemd, where it started this process (`Type=notify`), by its own program: Node has no datagram sockets of the file
 * system. The unit needs `NotifyAccess=all`, because another process sends the message. Never throws.
 * @param env with NOTIFY_SOCKET where a service manager wants to be notified
 */
export async function notifyServiceManager(state: ServiceState, env: NodeJS.ProcessEnv, log: Log): Promise<void> {
  if (!env.NOTIFY_SOCKET) return
  const child = spawn('systemd-notify', [state], { env: { ...env }, stdio: 'ignore' })
  const failure = await new Promise<string | null>((resolve) => {
    child.once('error', ({ message }) => resolve(message))
    child.once('exit', (code) => resolve(code === 0 ? null : `systemd-notify ended with ${code}`))
  })
  if (failure !== null) log.warn({ state, detail: failure }, 'service manager was not notified')
}
