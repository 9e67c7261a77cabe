import os from 'node:os'
import { startRepeating } from '../../core/time-limit.js'
import { VERSION } from '../../core/version.js'
import type { DaemonCard } from '../../fleet/daemon-card.js'
import { FleetSeal } from '../../fleet/fleet-seal.js'
import { HISTORY_EVERY_MS, History } from '../../fleet/history.js'
import type { Health, Readiness } from '../../observe/health.js'
import { ANALYZE_QUEUES, type QueueName } from '../../queue/queues.js'
import { servedQueues } from '../daemon/kind-workers.js'
import type { Roles } from '../daemon/roles.js'
import { commandFlags, type DaemonParts } from '../parts.js'
import { Fleet } from './fleet.js'
import { historySampler } from './history-sampler.js'
import { seldomCheck, workersCheck } from './workers-check.js'

/** What a daemon announces of itself, in addition to its parts. */
export interface OwnFacts {
  /** Where its HTTP side listens; the name of the daemon is made of it. */
  readonly port: () => number
  readonly roles: Pick<Roles, 'diskRest' | 'draining' | 'readiness'>
  readonly health: Health
  /** Called with every look at readiness, about once a second. */
  readonly onLook: (readiness: Readiness) => void
}

/** The history is written down every so many points: a minute. */
const POINTS_A_FILE = 6
const HISTORY_LOST = { reason: 'data-dir-unusable', subject: 'history', message: 'history was not saved' } as const
/** How often a daemon looks at itself and announces what it sees, ms: all that tell of it do so within 5 s. */
const BEAT_MS = 1000

/** The fleet with this daemon in it, what it did lately, and the check of readiness; it is announced from `beat` on. */
export function joinFleet(
  parts: DaemonParts,
  own: OwnFacts,
): { fleet: Fleet; history: History; beat(followOrders: () => Promise<void>): Promise<() => Promise<void>> } {
  const { activity, clock, outages, paths, queue } = parts
  let last: Readiness | null = null
  const name = () => `${os.hostname()}:${own.port()}`
  const fleet = new Fleet({ queue, clock, name, card: () => ({ name: name(), ...ownCard(parts, own, last) }) })
  const history = new History()
  const writePoint = historySampler(fleet, clock, history)
  const checkWorkers = seldomCheck(clock, () => workersCheck(queue, fleet, workedOn(parts, own)))
  own.health.register('workers', checkWorkers, 'queue-unreachable')
  activity.shareRows((row) => fleet.keep(row))

  const look = async () => {
    last = await own.health.readiness()
    own.onLook(last)
  }
  // The engine reports its own trouble, and this daemon goes on without the others.
  const announce = () => fleet.announce().catch(() => {})
  return {
    fleet,
    history,
    async beat(followOrders) {
      void announce().then(followOrders)
      await restoreHistory(parts, fleet, history)
      let points = 0
      const keep = () =>
        history
          .keep(paths.history, activity.recent)
          .catch((err: unknown) => outages.trouble({ ...HISTORY_LOST, facts: { err } }))
      const sample = () => {
        void writePoint()
        void compareSecrets(fleet, outages)
        if (points++ % POINTS_A_FILE === 0) void keep()
      }
      sample()
      const stopSampling = startRepeating(clock, HISTORY_EVERY_MS, sample)
      const stop = startRepeating(clock, BEAT_MS, () => {
        void look()
        void announce()
        void followOrders()
      })
      return async () => {
        stop()
        stopSampling()
        await keep()
        await fleet.leave().catch(() => {})
      }
    },
  }
}

/** A queue that is embedded forgets the rows with its process; Redis has them. */
async function restoreHistory({ activity, clock, paths }: DaemonParts, fleet: Fleet, history: History): Promise<void> {
  const rows = await history.restore(paths.history, clock.now())
  const isEmpty = await fleet.rows(1).then(
    (known) => known.length === 0,
    () => false,
  )
  if (isEmpty) for (const row of rows.toReversed()) activity.addRow(row)
}

/** Daemons of another secret refuse the jobs of each other, which nothing else explains. */
async function compareSecrets(fleet: Fleet, outages: DaemonParts['outages']): Promise<void> {
  const fingerprints = (await fleet.state().catch(() => null))?.mixed.fingerprints ?? []
  if (fingerprints.length === 0) return
  outages.trouble({
    reason: 'fleet-secret-differs',
    level: 'error',
    message: 'daemons with different fleet secrets were found',
    facts: { daemons: fingerprints.join(', ') },
  })
}

/** The queues that this daemon takes jobs from. */
function workedOn({ settings }: DaemonParts, { roles }: Pick<OwnFacts, 'roles'>): QueueName[] {
  if (roles.draining) return []
  const { detectors } = roles.readiness
  return [
    ...(detectors && !roles.diskRest?.refusal ? servedQueues(detectors) : []),
    ...settings.roles.filter((role) => role === 'submit'),
  ]
}

function ownCard(parts: DaemonParts, own: OwnFacts, last: Readiness | null): Omit<DaemonCard, 'name'> {
  const { activity, selection, settings } = parts
  const { roles } = own
  const { analyzeConcurrency, fleetSecret, roles: held, submitConcurrency } = settings
  const works = <T>(role: 'analyze' | 'submit', value: T) => (held.includes(role) ? value : null)
  const { pace } = activity
  const kinds = workedOn(parts, own).filter((name) => name !== 'submit')
  const analyzed = ANALYZE_QUEUES.reduce((sum, name) => sum + pace[name].perSecond(), 0)
  return {
    machine: os.hostname(),
    pid: process.pid,
    version: VERSION,
    roles: held,
    stopping: roles.draining,
    detectors: (roles.readiness.detectors?.detectors ?? []).map(({ id, version, digest, shadow, canary }) => ({
      id,
      version,
      digest,
      shadow,
      canary,
    })),
    kinds: Object.fromEntries(kinds.map((name) => [name, pace[name].capacity(analyzeConcurrency)])),
    commandFlags: commandFlags(parts),
    canaries: activity.comparisons.canaries,
    jobsPerSecond: { analyze: works('analyze', analyzed), submit: works('submit', pace.submit.perSecond()) },
    fingerprint: fleetSecret === undefined ? undefined : new FleetSeal(fleetSecret).fingerprint,
    capacity: { analyze: null, submit: pace.submit.capacity(submitConcurrency) },
    selection: held.includes('analyze') ? selection.state : null,
    // What is missing on the fleet is no trouble of this daemon.
    reasons: (last?.checks ?? []).flatMap(({ name, reason }) => (!reason || name === 'workers' ? [] : [reason])),
  }
}
