import type { Reason } from '../../core/reasons.js'

/** By its prefix (specification, API key): who a key is for, and what it cannot do. */
const KINDS = [
  { prefix: 'ak_att_', kind: 'an attester', lacks: 'upload and register, which need the key of a submitter (ak_sub_)' },
  { prefix: 'ak_sub_', kind: 'a submitter', lacks: 'list and score, which need the key of an attester (ak_att_)' },
] as const

/** What a person can do about the refusals of this API, by the key and header prefix in use. */
export function keyFixes({
  accessKey = '',
  headerPrefix = 'Service',
}: {
  readonly accessKey?: string | undefined
  readonly headerPrefix?: string | undefined
}): Readonly<Partial<Record<Reason, string>>> {
  const key = KINDS.find(({ prefix }) => accessKey.startsWith(prefix))
  const ofKind = key
    ? `ATTESTD_ACCESS_KEY is of ${key.kind} (${key.prefix}), which cannot ${key.lacks}. Else check`
    : 'Check'
  return {
    'service-unauthorized': `Check ATTESTD_ACCESS_KEY and ATTESTD_SIGNING_SECRET, that the key was not revoked, and ATTESTD_HEADER_PREFIX: the headers were sent as ${headerPrefix}-Access-Key and so on, and a service that names its own differently sees none.`,
    'service-forbidden': `${ofKind} the stake and the wallet of the key in the dashboard.`,
  }
}
