import { z } from 'zod'
import type { Settings } from '../../config/settings.js'
import { systemClock } from '../../core/clock.js'
import { AttestdError } from '../../core/errors.js'
import { assetIdIn, assetRecordIn } from '../../service/record.js'
import { statedOrLocal } from '../../service/service-clock.js'
import { scoreCountIn } from '../../service/wallet-session/reading.js'
import type { Signer } from '../../wallet/signer.js'
import { openWalletSession } from '../open/open-wallet-session.js'
import { contributorAttestations } from './contributor-attestation.js'
import { registeredId, type Standing, type SubmitterSide } from './submitter-side.js'

const seen = z.looseObject({ status: z.string(), aggregate: z.unknown().optional() })

/** The submitter's side of a wallet-session service, in a session of a wallet that has the role submitter. */
export function openWalletSubmitter(settings: Settings, signer: Signer): SubmitterSide {
  const { client, clock, close, session } = openWalletSession(settings, { role: 'submitter', signer })
  // Chain time is for attesters only; the answers that open a session have a Date.
  const now = async (signal?: AbortSignal) => {
    await session.token(signal)
    return statedOrLocal(clock, systemClock)
  }
  return {
    takesHints: false,
    attest: contributorAttestations(settings, signer),
    now,
    upload: (file, signal) => client.upload(file, signal),
    register: async (asset, signal) => registeredId(await client.register(asset, signal)),
    look: async (id, signal) => standingIn(await client.byOwner(signal), id),
    close,
  }
}

/** @param assets the owner's, as the service lists them */
function standingIn(assets: readonly unknown[], id: string): Standing {
  const found = assets.find((value) => assetIdIn(assetRecordIn(value)) === id)
  if (found === undefined) return { state: 'gone' }
  // Count and aggregate may stand next to the asset or in it.
  const record = { ...z.looseObject({}).parse(found), ...assetRecordIn(found) }
  const parsed = seen.safeParse(record)
  const scoreCount = scoreCountIn(record)
  if (!parsed.success || scoreCount === null) {
    throw new AttestdError('service-reply-invalid', 'The list of own assets does not contain the state of the asset.')
  }
  const { aggregate = null, status } = parsed.data
  return { state: status === 'open' ? 'open' : 'closed', scoreCount, aggregate }
}
