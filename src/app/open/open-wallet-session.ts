import { randomBytes } from 'node:crypto'
import { attestScore } from '../../chain/eas/attest.js'
import type { Settings } from '../../config/settings.js'
import { type Clock, systemClock } from '../../core/clock.js'
import { toAttestdError } from '../../core/errors.js'
import type { Reason } from '../../core/reasons.js'
import { scoreValues } from '../../core/risk.js'
import type { Score } from '../../service/port.js'
import {
  createWalletSessionService,
  type WalletSessionOptions,
  type WalletSessionService,
} from '../../service/wallet-session/create-wallet-session-service.js'
import type { Signer } from '../../wallet/signer.js'
import { easProfileOf } from './open-chain.js'
import { serviceOptionsOf } from './service-options.js'

/** One signature that was asked of the wallet; for metrics. */
export interface SignatureEvent {
  readonly wallet: Settings['wallet']
  readonly outcome: 'ok' | Reason
  readonly elapsedMs: number
}

/** What is stated here wins over the settings: the daemon passes its clock and log, a submitter its role. */
export interface OpenWalletSessionOptions
  extends Partial<Omit<WalletSessionOptions, 'serviceUrl' | 'signer' | 'attest' | 'chainId'>> {
  readonly signer: Signer
  readonly onSignature?: (event: SignatureEvent) => void
}

/** A wallet-session service by the settings. @throws AttestdError setting-invalid */
export function openWalletSession(
  settings: Settings,
  { signer: wallet, onSignature, ...own }: OpenWalletSessionOptions,
): WalletSessionService {
  const clock = own.clock ?? systemClock
  const profile = easProfileOf(settings)
  const signer = watched(wallet, settings.wallet, clock, onSignature)
  return createWalletSessionService({
    ...serviceOptionsOf(settings),
    chainId: settings.chainId,
    challengeDomains: settings.challengeDomains,
    role: 'attester',
    signer,
    attest: async (score, time) => ({
      ...(await attestScore(profile, signer, attestedOf(score), time, { randomBytes })),
    }),
    maxBlockAgeMs: settings.blockMaxAgeMs,
    ...own,
  })
}

function attestedOf({ assetId, contentHash, risk, algorithm, notes }: Score) {
  return { assetId, contentHash, algorithm, notes, ...scoreValues(risk) }
}

/** The wallet, reporting of each signature how long it took and how it ended. */
function watched(
  signer: Signer,
  wallet: Settings['wallet'],
  clock: Clock,
  onSignature: (event: SignatureEvent) => void = () => {},
): Signer {
  const timed = async <T>(sign: () => Promise<T>): Promise<T> => {
    const startedAt = clock.monotonic()
    const report = (outcome: 'ok' | Reason) =>
      onSignature({ wallet, outcome, elapsedMs: clock.monotonic() - startedAt })
    try {
      const signature = await sign()
      report('ok')
      return signature
    } catch (error) {
      report(toAttestdError(error).reason)
      throw error
    }
  }
  return {
    address: signer.address,
    signMessage: (message) => timed(() => signer.signMessage(message)),
    signTypedData: (typedData) => timed(() => signer.signTypedData(typedData)),
  }
}
