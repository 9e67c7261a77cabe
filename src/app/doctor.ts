import type { Settings } from '../config/settings.js'
import { clockText } from '../core/clock.js'
import { AttestdError, toAttestdError } from '../core/errors.js'
import { loadPackages } from '../detect/package/package-loader.js'
import type { SignedKeyService } from '../service/signed-key/attester-service.js'
import { admissionCheck } from './admission-check.js'
import { openDataDir } from './data-dir.js'
import { diagnoseFfmpeg } from './diagnose-ffmpeg.js'
import { verifyModels } from './models.js'
import { openQueue } from './open-queue.js'
import { openSignedKey } from './open-signed-key.js'
import { runningDaemon } from './running-daemon.js'

export interface Diagnosis {
  readonly check: string
  /** `skipped` where there is nothing to check: not set up, not needed, or pointless after an earlier failure. */
  readonly outcome: 'ok' | 'failed' | 'skipped'
  readonly says: string
  readonly fix?: string
}

/** Below this, ms, a check of the service gives up. */
const SERVICE_TIMEOUT_MS = 10_000

/** Checks everything that `run` needs, one after the other, without submitting anything. */
export async function* diagnose(settings: Settings): AsyncIterable<Diagnosis> {
  yield await check('node', async () => `Node ${process.version}`)
  yield await check('data directory', async () => `${(await openDataDir(settings.dataDir)).root} can be written`)
  yield await check('detectors', async () => {
    const verified = await verifyModels(settings)
    return verified.map(({ id, version }) => `${id}@${version} gave its stated risk`).join('; ')
  })
  const { admit } = admissionCheck(settings)
  if (admit) {
    yield await check('admission', async () => {
      const packages = await loadPackages(settings)
      await admit(packages)
      return `${packages.length} packages have passed their exam`
    })
  }
  yield await checkFfmpeg(settings)
  yield await check('queue', async () => {
    const daemon = await runningDaemon(settings.dataDir)
    if (daemon) return `the daemon of this data directory (process ${daemon.pid}) answers for it`
    const queue = await openQueue(settings, { startWaitMs: 3000 })
    await queue.ping().finally(() => queue.close())
    return `the ${queue.kind} queue answers`
  })
  yield* diagnoseService(settings)
}

/** One that is missing is left out, not failed: the daemon works without, for fewer kinds of media. */
async function checkFfmpeg(settings: Settings): Promise<Diagnosis> {
  try {
    const { state, ...found } = await diagnoseFfmpeg(settings)
    return { check: 'ffmpeg', outcome: state === 'found' ? 'ok' : 'skipped', ...found }
  } catch (error) {
    return failed('ffmpeg', error)
  }
}

async function* diagnoseService(settings: Settings): AsyncIterable<Diagnosis> {
  if (!settings.serviceUrl) {
    yield { check: 'service', outcome: 'skipped', says: 'ATTESTD_SERVICE_URL is not set' }
    return
  }
  const { accessKey, serviceUrl, signingSecret } = settings
  let opened: SignedKeyService | undefined
  try {
    opened = openSignedKey(settings, { requestTimeoutMs: SERVICE_TIMEOUT_MS })
    const { client, clock, service } = opened
    yield await check('service', async () => {
      const { service: name, version } = await client.health()
      return `${serviceUrl} is ${name}, version ${version}`
    })
    yield await check('clock', async () => {
      await clock.ready()
      const { offsetMs, errorBoundMs } = clock.state()
      return `service time is known; ${clockText(offsetMs ?? 0)}, ± ${errorBoundMs} ms (corrected)`
    })
    if (!accessKey || !signingSecret) {
      yield { check: 'key', outcome: 'skipped', says: 'ATTESTD_ACCESS_KEY or ATTESTD_SIGNING_SECRET is not set' }
      return
    }
    yield await check('key and stake', async () => {
      const { assets, stake } = await service.listOpen({ includeMyScore: true })
      if (!stake) return `${assets.length} open assets; the service stated no stake`
      if (stake.stakedWei < stake.minStakeWei) {
        throw new AttestdError('stake-low', `Staked ${stake.stakedWei} wei of at least ${stake.minStakeWei}.`)
      }
      return `${assets.length} open assets; staked ${stake.stakedWei} wei of at least ${stake.minStakeWei}`
    })
  } catch (error) {
    yield failed('service', error)
  } finally {
    await opened?.close()
  }
}

async function check(name: string, work: () => Promise<string>): Promise<Diagnosis> {
  try {
    return { check: name, outcome: 'ok', says: await work() }
  } catch (error) {
    return failed(name, error)
  }
}

function failed(name: string, error: unknown): Diagnosis {
  const { fix, message, reason } = toAttestdError(error)
  return { check: name, outcome: 'failed', says: `${message}  [${reason}]`, ...(fix ? { fix } : {}) }
}
