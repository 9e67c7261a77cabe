import path from 'node:path'
import { type DaemonProcess, startDaemonProcess } from '../../src/app/demo/daemon-process.js'
import { systemClock } from '../../src/core/clock.js'
import type { Sandbox } from '../../src/sandbox/create-sandbox.js'

/** On a machine that does other work too. */
const START_MS = 600_000

/** Starts the daemon that is measured, as a process against this sandbox. @param folder gets `data/` and `daemon.log` */
export function startBenchDaemon(
  { attesterKey, url }: Sandbox,
  folder: string,
  settings: Readonly<Record<string, string>>,
): Promise<DaemonProcess> {
  return startDaemonProcess({
    env: {
      ATTESTD_SERVICE_URL: url,
      ATTESTD_IPFS_GATEWAYS: url,
      ATTESTD_ACCESS_KEY: attesterKey.accessKey,
      ATTESTD_SIGNING_SECRET: attesterKey.signingSecret,
      ATTESTD_UNSURE_POLICY: 'submit',
      ATTESTD_HTTP_PORT: '0',
      ATTESTD_LOG_FORMAT: 'json',
      ...settings,
    },
    dataDir: path.join(folder, 'data'),
    logFile: path.join(folder, 'daemon.log'),
    clock: systemClock,
    startMs: START_MS,
  })
}
