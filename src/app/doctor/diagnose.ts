import type { LoadedSettings } from '../../config/load.js'
import type { SettingKey, Settings } from '../../config/settings.js'
import { freeBytes, sizeText } from '../../core/disk/free-space.js'
import { AttestdError } from '../../core/errors.js'
import { loadPackages } from '../../detect/package/package-loader.js'
import { shareText } from '../../detect/scoring/to-detection.js'
import { checkAddress } from '../daemon/cheap-checks.js'
import { openDataDir } from '../data-dir.js'
import { admissionCheck } from '../open/admission-check.js'
import { openQueue } from '../open/open-queue.js'
import type { WalletOfOptions } from '../open/open-wallet.js'
import { checkLimits } from '../open/process-limits.js'
import { runningDaemon } from '../running-daemon.js'
import { surveyModels, unlistedIn, verifyModels, weightsLines } from '../verbs/models.js'
import { diagnoseGateways } from './diagnose-gateways.js'
import { diagnoseCage, diagnoseFfmpeg } from './diagnose-programs.js'
import { diagnoseFleet, diagnoseSettings, diagnoseWebhook } from './diagnose-settings.js'
import { diagnoseSignedKey } from './diagnose-signed-key.js'
import { diagnoseWalletSession } from './diagnose-wallet-session.js'
import { check, type Diagnosis, skipped } from './diagnosis.js'

/** Checks everything that `run` needs, without submitting anything. @param unset needed settings without a value */
export async function* diagnose(
  loaded: Pick<LoadedSettings, 'file' | 'openSecretFiles' | 'settings' | 'unknownEnv'>,
  unset: readonly SettingKey[],
  { testWebhook = false, ...wallet }: WalletOfOptions & { readonly testWebhook?: boolean | undefined } = {},
): AsyncIterable<Diagnosis> {
  const { settings } = loaded
  yield* diagnoseSettings(loaded, unset)
  yield await check('node', async () => `Node ${process.version}`)
  yield await check('limits', async () => {
    await checkLimits(settings)
    return 'this process may use enough address space, files and processes'
  })
  yield await check('data directory', () => checkDataDir(settings))
  // A daemon that runs has its port.
  if (!(await runningDaemon(settings.dataDir).catch(() => null))) {
    yield await check('address', async () => {
      await checkAddress(settings)
      return `${settings.httpHost}:${settings.httpPort} can be bound`
    })
  }
  yield await check('detectors', async () => {
    const verified = await verifyModels(settings, 1)
    return verified
      .map(({ id, version, medianMs }) => `${id}@${version} reproduced its stated risk in ${Math.round(medianMs)} ms`)
      .join('; ')
  })
  yield await check('weights', async () => {
    const models = await surveyModels(settings)
    return [...weightsLines(models), ...unlistedIn(models)].join('; ')
  })
  const { admit } = admissionCheck(settings)
  if (admit) {
    yield await check('admission', async () => {
      const packages = await loadPackages(settings)
      await admit(packages)
      return `${packages.length} packages meet ATTESTD_REQUIRE_ADMISSION and ATTESTD_REQUIRE_OPEN_WEIGHTS`
    })
  }
  yield await check('expected share', async () => shareText(settings.expectedShare))
  yield await diagnoseFfmpeg(settings)
  yield await diagnoseCage(settings)
  yield* await diagnoseGateways(settings)
  yield await check('queue', async () => {
    const daemon = await runningDaemon(settings.dataDir).catch(() => null)
    if (daemon) return `the daemon of this data directory (process ${daemon.pid}) has it open`
    const queue = await openQueue(settings, { startWaitMs: 3000 })
    await queue.ping().finally(() => queue.close())
    return `the ${queue.kind} queue answers`
  })
  yield* diagnoseFleet(settings)
  yield await diagnoseWebhook(settings, testWebhook)
  if (!settings.serviceUrl) yield skipped('service', 'ATTESTD_SERVICE_URL is not set')
  else if (settings.serviceApi === 'signed-key') yield* diagnoseSignedKey(settings)
  else yield* diagnoseWalletSession(settings, wallet)
}

/** @throws AttestdError data-dir-unusable, disk-full, disk-low */
async function checkDataDir({ dataDir, diskFreeBytes }: Settings): Promise<string> {
  const { root } = await openDataDir(dataDir)
  const free = await freeBytes(root)
  if (free >= diskFreeBytes) return `${root} can be written, ${sizeText(free)} are free`
  throw new AttestdError(
    'disk-low',
    `${sizeText(free)} are free on the disk of ${root}, less than ${sizeText(diskFreeBytes)}`,
  )
}
