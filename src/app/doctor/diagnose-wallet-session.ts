import { envName } from '../../config/setting.js'
import { SETTINGS, type Settings } from '../../config/settings.js'
import type { ServiceClock } from '../../service/service-clock.js'
import type { WalletSessionService } from '../../service/wallet-session/create-wallet-session-service.js'
import type { Signer } from '../../wallet/signer.js'
import { checkWallet, openWalletOf, type WalletOfOptions, walletSettingsNeeded } from '../open/open-wallet.js'
import { openWalletSession } from '../open/open-wallet-session.js'
import { diagnoseChain } from './diagnose-chain.js'
import { check, type Diagnosis, failed, OUTSIDE_TIMEOUT_MS, skipped } from './diagnosis.js'
import { serviceTimeText } from './service-text.js'

/** Wallet, service, session with its role, service time, open assets; then the chain that stake and roles are read from. */
export async function* diagnoseWalletSession(settings: Settings, options: WalletOfOptions): AsyncIterable<Diagnosis> {
  const missing = walletSettingsNeeded(settings).filter((key) => settings[key] === undefined)
  let signer: Signer | null = null
  if (missing.length > 0) {
    yield skipped('wallet', `not set: ${missing.map((key) => envName(SETTINGS[key])).join(', ')}`)
  } else {
    yield await check('wallet', async () => {
      const opened = await openWalletOf(settings, options)
      await checkWallet(opened)
      signer = opened
      return `the ${settings.wallet} wallet ${opened.address} signs`
    })
  }
  let clock: ServiceClock | undefined
  if (signer) clock = yield* diagnoseSession(settings, signer)
  else yield skipped('session', 'not without a wallet')
  yield* diagnoseChain(settings, (signer as Signer | null)?.address ?? settings.walletAddress ?? null, clock)
}

async function* diagnoseSession(
  settings: Settings,
  signer: Signer,
): AsyncGenerator<Diagnosis, ServiceClock | undefined> {
  let opened: WalletSessionService | undefined
  try {
    opened = openWalletSession(settings, { signer, requestTimeoutMs: OUTSIDE_TIMEOUT_MS })
    const { client, clock, service, session } = opened
    yield await check('service', async () => {
      const { ok } = await client.health()
      return `${settings.serviceUrl} reports that it is ${ok ? 'healthy' : 'not healthy'}`
    })
    const signedIn = await check('session', async () => {
      const { expiresAt, roles } = await session.facts()
      return `opened until ${new Date(expiresAt * 1000).toISOString()}, with the roles ${roles.join(', ')}`
    })
    yield signedIn
    if (signedIn.outcome !== 'ok') return clock
    yield await check('clock', () => serviceTimeText(clock, settings.timestampWindowMs))
    yield await check('open assets', async () => {
      const { assets } = await service.listOpen({ includeMyScore: false })
      return `${assets.length} open assets`
    })
  } catch (error) {
    yield failed('service', error)
  } finally {
    await opened?.close()
  }
  return opened?.clock
}
