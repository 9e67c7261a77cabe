import type { Command } from 'commander'
import { withPassword } from '../app/open/open-wallet.js'
import { nameFix } from '../config/setting-names.js'
import { systemClock } from '../core/clock.js'
import { toAttestdError } from '../core/errors.js'
import { aborted, EXIT, listenForStop } from '../core/shutdown.js'
import { errorForPeople, exitCodeOf } from './exit-code.js'
import { neededToRun } from './flags/needed-settings.js'
import { settingsOf, verbWithSettings } from './flags/settings-flags.js'
import { askWalletPassword } from './terminal/password-prompt.js'
import { printErrorLines } from './terminal/print.js'

/** `attestd run`; exits with 0 when drained, 75 where a restart helps or finishes the work, 78 where it cannot. */
export function runVerb(): Command {
  const verb = verbWithSettings(
    'run',
    'Run the daemon until SIGTERM or SIGINT; the first drains, the second forces. SIGHUP reloads the detectors.',
  )
  return verb.action(() => run(verb))
}

async function run(verb: Command): Promise<void> {
  const loaded = await withPassword(settingsOf(verb, neededToRun), askWalletPassword)
  const [{ startDaemon }, { notifyServiceManager }, { createLogger }, { createMetrics }] = await Promise.all([
    import('../app/daemon/daemon.js'),
    import('../app/service-manager.js'),
    import('../observe/logger.js'),
    import('../observe/metrics/metrics.js'),
  ])
  const { settings, secrets } = loaded
  const metrics = createMetrics({ clock: systemClock, processMetrics: true, roles: settings.roles })
  const log = createLogger({
    level: settings.logLevel,
    format: settings.logFormat,
    secrets,
    onLine: (level) => metrics.logLines.inc({ level }),
  })
  for (const name of loaded.unknownEnv)
    log.warn({ setting: name, reason: 'setting-unknown', fix: nameFix(name) }, 'unknown setting was ignored')
  for (const { file, mode } of loaded.openSecretFiles)
    log.warn({ file, mode, reason: 'setting-invalid', fix: `Run chmod 600 ${file}.` }, 'secret file readable by others')

  const signals = listenForStop(systemClock)
  // A service manager reloads by it, and it must not end the process while that still starts.
  let reload = () => log.info({}, 'SIGHUP was ignored: the detector packages were still being read for the start')
  process.on('SIGHUP', () => reload())
  // By default Node would open a debugger to every user of this machine (SIGUSR1), or end without a drain (SIGUSR2).
  for (const signal of ['SIGUSR1', 'SIGUSR2'] as const) {
    process.on(signal, () => log.info({ signal }, 'signal was ignored'))
  }
  const leaveNow = (code: number) => process.exit(code)
  const forced = () => {
    log.warn({}, 'stop was forced by a second signal; active jobs resume at the next start')
    return leaveNow(EXIT.temporary)
  }
  void aborted(signals.force).then(forced)
  const crash = (error: unknown) => {
    log.fatal({ err: toAttestdError(error) }, 'unexpected error; the process was ended, a restart continues its work')
    leaveNow(EXIT.temporary)
  }
  process.on('uncaughtException', crash)
  process.on('unhandledRejection', crash)

  const starting = startDaemon({
    ...loaded,
    log,
    metrics,
    signal: signals.drain,
  }).catch((error: unknown) => {
    if (signals.drain.aborted) return null
    printErrorLines(errorForPeople(error))
    // Explicit, because parts that had started by then would keep the process alive.
    return leaveNow(exitCodeOf(error))
  })
  const daemon = await Promise.race([starting, aborted(signals.drain).then(() => null)])
  // Nothing was taken yet; detector processes end with this one, and the next start takes the queue's lock over.
  if (!daemon) return leaveNow(EXIT.ok)
  reload = () => void daemon.reloadDetectors()
  void notifyServiceManager('READY=1', process.env, log)
  const lost = await Promise.race([daemon.lost, aborted(signals.drain).then(() => null)])
  if (lost) {
    const code = exitCodeOf(lost)
    log.error(
      { err: lost },
      code === EXIT.config
        ? 'the daemon could not continue as configured'
        : 'the daemon could not recover without a restart',
    )
    leaveNow(code === EXIT.config ? code : EXIT.temporary)
  }
  log.info({ drainMs: settings.drainMs }, 'stop was requested; a second signal forces it')
  void notifyServiceManager('STOPPING=1', process.env, log)
  const { drained } = await daemon.stop(settings.drainMs)
  // Explicit, so that a stray handle of a library cannot keep a stopped daemon alive.
  leaveNow(drained ? EXIT.ok : EXIT.temporary)
}
