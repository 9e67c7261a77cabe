import type { Settings } from '../../config/settings.js'
import type { Stake } from '../../service/port.js'
import type { SignedKeyService } from '../../service/signed-key/attester-service.js'
import { openSignedKey } from '../open/open-signed-key.js'
import { diagnoseSecondOpinion } from './diagnose-chain.js'
import { check, type Diagnosis, failed, OUTSIDE_TIMEOUT_MS, skipped } from './diagnosis.js'
import { serviceTimeText, stakeText } from './service-text.js'

/** Service, time, key and stake; and where the stake contract is set, what that states. */
export async function* diagnoseSignedKey(settings: Settings): AsyncIterable<Diagnosis> {
  const { accessKey, serviceUrl, signingSecret } = settings
  let opened: SignedKeyService | undefined
  let reported: Stake | null = null
  try {
    opened = openSignedKey(settings, { requestTimeoutMs: OUTSIDE_TIMEOUT_MS })
    const { client, clock, service } = opened
    yield await check('service', async () => {
      const { service: name, version } = await client.health()
      return `${serviceUrl} is ${name}, version ${version}`
    })
    yield await check('clock', () => serviceTimeText(clock, settings.timestampWindowMs))
    if (!accessKey || !signingSecret) {
      yield skipped('key', 'ATTESTD_ACCESS_KEY or ATTESTD_SIGNING_SECRET is not set')
    } else {
      yield await check('key and stake', async () => {
        const { assets, stake } = await service.listOpen({ includeMyScore: true })
        reported = stake
        return `${assets.length} open assets; ${stake ? stakeText(stake) : 'the service stated no stake'}`
      })
    }
  } catch (error) {
    yield failed('service', error)
  } finally {
    await opened?.close()
  }
  yield* diagnoseSecondOpinion(settings, reported, opened?.clock)
}
