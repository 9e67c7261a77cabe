import type { Reason } from '../../core/reasons.js'

/** By its prefix (specification, API key): whose key it is, and which one the refused routes take. */
const KINDS = [
  { prefix: 'ak_att_', kind: 'an attester', other: 'Use a submitter key (ak_sub_) to upload and register.' },
  { prefix: 'ak_sub_', kind: 'a submitter', other: 'Use an attester key (ak_att_) to list and score.' },
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
  const ofKind = key ? `ATTESTD_ACCESS_KEY is ${key.kind} key (${key.prefix}). ${key.other} Otherwise check` : 'Check'
  return {
    'service-unauthorized': `Check ATTESTD_ACCESS_KEY and ATTESTD_SIGNING_SECRET, and that the key was not revoked. The headers were sent as ${headerPrefix}-Access-Key and so on; if the service uses another prefix, set ATTESTD_HEADER_PREFIX.`,
    'service-forbidden': `${ofKind} the stake and the wallet of the key in the dashboard.`,
  }
}
