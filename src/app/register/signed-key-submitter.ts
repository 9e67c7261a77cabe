import { z } from 'zod'
import type { Settings } from '../../config/settings.js'
import { AttestdError } from '../../core/errors.js'
import { assetRecordIn, outOfEnvelope } from '../../service/record.js'
import { openSignedKey } from '../open/open-signed-key.js'
import type { AttestUpload } from './contributor-attestation.js'
import { registeredId, type Standing, type SubmitterSide } from './submitter-side.js'

const seen = z.looseObject({ status: z.string(), scoreCount: z.int().min(0) })
const aggregated = z.looseObject({ aggregate: z.looseObject({}) })

/**
 * The submitter's side of a signed-key service: the keys of the settings are those of a submitter.
 * @param attest makes the contributor attestation; null without a wallet, the content hash then stands for it
 */
export function openSignedKeySubmitter(settings: Settings, attest: AttestUpload | null): SubmitterSide {
  const { client, clock, close } = openSignedKey(settings)
  const now = async (signal?: AbortSignal) => {
    await clock.ready(signal)
    return clock.now()
  }
  return {
    takesHints: true,
    attest,
    now,
    upload: (file, signal) => client.upload(file, settings.sessionToken, signal),
    register: async (asset, signal) => registeredId(await client.register(asset, signal)),
    look: (id, signal) => client.find(id, signal).then(standingOf, hiddenBehind),
    close,
  }
}

/** @param reply what the single-asset route answered; null: not open */
function standingOf(reply: unknown): Standing {
  if (reply === null) return { state: 'gone' }
  const parsed = seen.safeParse(assetRecordIn(reply))
  if (!parsed.success) throw new AttestdError('service-reply-invalid', 'The asset in the answer cannot be used.')
  const { scoreCount, status } = parsed.data
  const aggregate = aggregated.safeParse(outOfEnvelope(reply)).data?.aggregate ?? null
  return { state: status === 'open' ? 'open' : 'closed', scoreCount, aggregate }
}

/** The specification states no route of a submitter's own for this: a service may keep the attesters' to attesters. */
function hiddenBehind(error: unknown): Standing {
  const isKept = error instanceof AttestdError && [401, 403].includes(Number(error.facts.status))
  if (!isKept) throw error
  return { state: 'hidden', message: 'this API has no route that shows scores to a submitter' }
}
