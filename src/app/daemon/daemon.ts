import { systemClock } from '../../core/clock.js'
import { freeBytes } from '../../core/disk/free-space.js'
import { storageError } from '../../core/disk/storage-error.js'
import { errorText } from '../../core/errors.js'
import { startRepeating } from '../../core/time-limit.js'
import { VERSION } from '../../core/version.js'
import type { AlarmWatch } from '../../observe/alarms/alarm-watch.js'
import { type Audit, createAudit } from '../../observe/audit.js'
import {
  type ControlFile,
  keepControlFile,
  newControlToken,
  removeControlFile,
  writeControlFile,
} from '../../observe/control-file.js'
import { createHealth, type Readiness } from '../../observe/health.js'
import { createRedactor, type Redactor } from '../../observe/redaction.js'
import { createThrottledLog } from '../../observe/throttled-log.js'
import { Ledger } from '../../pipeline/ledger.js'
import { QUEUE_WORDS } from '../../queue/queues.js'
import { WALLET_FIXES } from '../../service/wallet-session/wallet-error.js'
import { openDataDir } from '../data-dir.js'
import { DriftWatch } from '../drift/drift-watch.js'
import { collectFleet } from '../fleet/fleet-metrics.js'
import { joinFleet } from '../fleet/start-fleet.js'
import { startDetectors } from '../open/open-detectors.js'
import { openWalletOf, signsWithWallet } from '../open/open-wallet.js'
import type { DaemonOptions, DaemonParts } from '../parts.js'
import { collectReview, reviewOf } from '../review/open-review.js'
import { DetectorSelection } from '../rollout/detector-selection.js'
import { orderingOf } from '../rollout/ordering.js'
import { Activity } from './activity.js'
import { openAlarms } from './alarms.js'
import { cheapChecks } from './cheap-checks.js'
import { collectDepths, collectOwn } from './collect-gauges.js'
import { controlOf } from './control.js'
import { stateOf } from './daemon-state.js'
import { registerReadiness } from './readiness.js'
import { ReadinessWatch } from './readiness-watch.js'
import { reloadDetectors } from './reload-detectors.js'
import { Report } from './report.js'
import type { Roles } from './roles.js'

/** What `attestd run` holds of a started daemon. After `lost` it leaves the process without `stop`. */
export interface Daemon {
  /** Resolves with the error when something is lost that needs a restart. */
  readonly lost: Promise<Error>
  /** Reloads the detector packages; a failure is logged, and the old ones stay. */
  reloadDetectors(): Promise<void>
  /** Takes no new work, gives active work `drainMs`, then closes everything. @returns whether all active work ended */
  stop(drainMs: number): Promise<{ drained: boolean }>
}

/**
 * Builds the daemon from its settings and starts it: queue, roles, HTTP side. Nothing else constructs these parts.
 * @throws AttestdError of kind `setup`, or `queue-unreachable`
 */
export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const { settings, log, metrics, secrets } = options
  const clock = systemClock
  const paths = await openDataDir(settings.dataDir)
  const selection = await DetectorSelection.open(settings, log)
  await cheapChecks({ ...settings, detectors: selection.choices })
  log.info({ dataDir: settings.dataDir }, 'settings, port and data directory were checked')
  const activity = new Activity(() => clock.monotonic())
  const ledger = new Ledger(paths.ledger, settings.ledgerBytes)
  const outages = createThrottledLog({ log, clock })
  const alarms = openAlarms(settings, { clock, log, metrics })
  const audit = createAudit(paths.audit, { clock, log })
  const drift = new DriftWatch({ modelsDir: settings.modelsDir, folder: paths.drift }, log)
  const closers: (() => Promise<unknown>)[] = [() => audit.flush(), () => alarms.close()]
  const closeAll = async () => {
    for (const close of closers.splice(0).toReversed()) {
      await close().catch((error) => log.warn({ err: error }, 'component shutdown failed'))
    }
  }
  try {
    let roles: Roles | undefined
    const report = new Report({
      metrics,
      ledger,
      activity,
      drift,
      clock,
      log,
      outages,
      onMissed: () => alarms.missed(),
      onSubmitted: (assetId, outcome) => roles?.submitted(assetId, outcome),
    })
    closers.push(() => report.flush())
    // Before the detectors load: a password that is wrong ends the start at once.
    const signer = signsWithWallet(settings) ? await openWalletOf(settings) : null
    const base = { ...options, signer, clock, paths, outages, activity, drift, report, selection }
    const opening = openDaemonQueue(base, () => roles?.forgetRecords())
    // A Redis that refuses us reports it at once. The embedded queue takes a while to open, in which detectors start: they
    // warm up on processors of their own while this one reads the rest of its code.
    opening.catch(() => {})
    if (!settings.queueUrl.startsWith('embedded:')) await opening
    const detecting = startDetectors(base, closers)
    const reading = Promise.all([import('./roles.js'), import('../../observe/http-server.js')])
    const queue = await opening
    closers.push(() => queue.close())
    log.info({ queue: queue.kind }, 'queue was opened')
    const [{ startRoles }] = await reading
    metrics.buildInfo.set({ version: VERSION, node: process.version, queue_engine: queue.kind }, 1)
    const parts: DaemonParts = { ...base, queue }
    roles = await startRoles(parts, detecting, closers)
    const http = await startHttp(parts, roles, { alarms, audit, redact: createRedactor(secrets, true) })
    closers.push(http.close)
    const prune = () => roles!.prune(ledger).catch((error) => log.warn({ err: error }, 'old records were not removed'))
    void prune()
    const stopPruning = startRepeating(clock, HOUSEKEEPING_MS, () => void prune())
    log.info({ console: http.url, roles: settings.roles, queue: queue.kind, version: VERSION }, 'daemon started')
    return {
      lost: Promise.race([queue.lost, roles.lost]).then(async (error) => {
        await alarms.ending(error)
        return error
      }),
      async reloadDetectors() {
        const { detectors } = roles!.readiness
        if (detectors) {
          const result = await reloadDetectors(detectors, roles!, { log, metrics }).then(() => 'done', errorText)
          audit.record({ who: 'SIGHUP', by: 'signal', action: 'reload', what: null, result })
        } else log.warn({ reason: 'setting-invalid' }, 'reload was ignored: this process runs no detectors')
      },
      async stop(drainMs) {
        stopPruning()
        const { drained } = await roles!.stop(drainMs)
        await closeAll()
        log.info({ drained }, 'daemon stopped')
        return { drained }
      },
    }
  } catch (error) {
    await closeAll()
    throw error
  }
}

async function openDaemonQueue(
  { log, metrics, outages, settings, signal }: Omit<DaemonParts, 'queue'>,
  onTrouble: () => void,
): Promise<DaemonParts['queue']> {
  const { openQueue } = await import('../open/open-queue.js')
  return openQueue(settings, {
    log,
    signal,
    onTrouble,
    onForged: (what) => {
      metrics.fleetForged.inc({ what })
      outages.trouble({
        reason: 'fleet-code-wrong',
        subject: what,
        message: 'data without the code of the fleet was refused',
      })
    },
  })
}

/** How often old verdicts and ledger days are removed, ms. */
const HOUSEKEEPING_MS = 6 * 60 * 60 * 1000

async function startHttp(
  parts: DaemonParts,
  roles: Roles,
  { alarms, audit, redact }: { readonly alarms: AlarmWatch; readonly audit: Audit; readonly redact: Redactor },
) {
  const { clock, log, metrics, queue, settings } = parts
  const health = createHealth({
    clock,
    fixes: settings.serviceApi === 'wallet-session' ? WALLET_FIXES : {},
  })
  const { diskRest: rest } = roles
  let control: ControlFile | null = null
  const free = async () => {
    if (control && (await keepControlFile(settings.dataDir, control).catch(unusable))) {
      log.warn({ reason: 'data-dir-unusable', dataDir: settings.dataDir }, 'data directory was emptied and made again')
    }
    return freeBytes(settings.dataDir)
  }
  const unusable = (error: unknown) => {
    throw storageError(`${settings.dataDir} was emptied, and cannot be written (${errorText(error)}).`, error)
  }
  const disk = { free, leastBytes: settings.diskFreeBytes, rest }
  registerReadiness({ health, draining: () => roles.draining, queue, disk, ...roles.readiness })
  metrics.beforeScrape(() => collectDepths(queue, metrics))
  metrics.beforeScrape(() => collectReview(parts, roles.review))
  metrics.beforeScrape(() => collectOwn(parts, roles.readiness))
  let port = settings.httpPort
  const reported = new ReadinessWatch({ log, metrics })
  const onLook = (readiness: Readiness) => {
    reported.look(readiness)
    alarms.look(readiness)
  }
  const { beat, fleet, history } = joinFleet(parts, { roles, health, onLook, port: () => port })
  metrics.beforeScrape(() => collectFleet(fleet, metrics))
  const ordering = orderingOf(parts, roles, fleet)
  const controlToken = newControlToken()
  const { startHttpServer } = await import('../../observe/http-server.js')
  const http = await startHttpServer({
    host: settings.httpHost,
    port: settings.httpPort,
    password: settings.httpPassword,
    log,
    audit,
    redact,
    health,
    metrics,
    state: stateOf(parts, roles, fleet),
    history: () => history.points,
    clock,
    queueNames: QUEUE_WORDS,
    boardQueues: queue.boardQueues(),
    review: reviewOf(parts, roles.review),
    control: { ...controlOf(queue), ...ordering.control },
    controlToken,
  })
  port = http.port
  const leave = await beat(ordering.follow)
  const own = { url: http.url, token: controlToken, pid: process.pid }
  await writeControlFile(settings.dataDir, own)
  control = own
  return {
    url: http.url,
    async close() {
      control = null
      await leave()
      await removeControlFile(settings.dataDir, controlToken)
      await http.close()
    },
  }
}
