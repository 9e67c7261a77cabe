import type { Settings } from '../../config/settings.js'
import { systemClock } from '../../core/clock.js'
import { AttestdError, toAttestdError } from '../../core/errors.js'
import type { Reason } from '../../core/reasons.js'
import type { WalletOfOptions } from '../open/open-wallet.js'
import { type FollowEnd, followAsset } from './follow-asset.js'
import { openSubmitter } from './open-submitter.js'
import { type NewAssetRequest, type Registered, registerFile } from './register-file.js'

/** A file and what its submitter states about it; which digest is its content hash, the settings state. */
export interface RegisterRequest extends Omit<NewAssetRequest, 'contentHash'> {
  /** Longest time to follow, ms; null: until the asset closes; absent: not at all. */
  readonly followMs?: number | null | undefined
}

/** What a terminal adds to the settings: a person to ask for a password, and Ctrl-C. */
export interface RegisterOptions extends Required<Pick<WalletOfOptions, 'askPassword'>> {
  /** Ends the following; before that, the whole. */
  readonly signal: AbortSignal
}

export interface RegisterProgress {
  registered(asset: Registered): void
  trouble(error: AttestdError): void
}

/** How it ended; `failed` is of the following: the asset is on the books by then. */
export type RegisterEnd =
  | FollowEnd
  | { readonly outcome: 'not-followed' }
  | { readonly outcome: 'failed'; readonly reason: Reason; readonly message: string }

/** Registers a file at the service and follows it until it is scored. @throws AttestdError as `registerFile` */
export async function register(
  settings: Settings,
  { followMs, ...request }: RegisterRequest,
  progress: RegisterProgress,
  { askPassword, signal }: RegisterOptions,
): Promise<{ asset: Registered; end: RegisterEnd }> {
  const side = await openSubmitter(settings, { askPassword, signal })
  try {
    const wanted = { ...request, contentHash: settings.contentHash }
    const asset = await registerFile(side, wanted, signal).catch((error: unknown) => {
      throw error === signal.reason ? new AttestdError('draining', 'Stopped; nothing was registered.') : error
    })
    progress.registered(asset)
    if (followMs === undefined) return { asset, end: { outcome: 'not-followed' } }
    const timeoutMs = followMs ?? request.openForMs
    const onTrouble = (error: AttestdError) => progress.trouble(error)
    const following = followAsset({ side, assetId: asset.id, timeoutMs, clock: systemClock, signal, onTrouble })
    return { asset, end: await following.catch(failedEnd) }
  } finally {
    await side.close()
  }
}

function failedEnd(error: unknown): RegisterEnd {
  const { message, reason } = toAttestdError(error)
  return { outcome: 'failed', reason, message }
}
