import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { type KeyKind, keyKindSchema } from '../../service/signed-key/schemas.js'
import { ChangeFeed } from './change-feed.js'

/** An access key as the service holds it, secret included: a sandbox needs it in clear to compute signatures. */
export const apiKeySchema = z.object({
  id: z.string().min(1),
  kind: keyKindSchema,
  label: z.string(),
  accessKey: z.string().min(1),
  signingSecret: z.string().min(1),
  /** 0x and 40 hex characters, lower case; null: no wallet is linked. */
  wallet: z.string().nullable(),
  createdAt: z.number(),
  revokedAt: z.number().nullable(),
})
/** Its kind is also the role that a session of a wallet can have: attesters list and score, submitters upload and register. */
export type ApiKey = z.infer<typeof apiKeySchema>

/** What a key is made of. `wallet` null links none: requests by such a key are refused with wallet-not-linked. */
export type NewKey = Pick<ApiKey, 'kind' | 'label' | 'wallet'> &
  /** Given for fixed tests; made up otherwise. */
  Partial<Pick<ApiKey, 'accessKey' | 'signingSecret'>>

const PREFIXES: Readonly<Record<KeyKind, string>> = { attester: 'ak_att_', submitter: 'ak_sub_' }

export class KeyRing {
  readonly changed = new ChangeFeed()
  readonly #now: () => number
  readonly #touched: () => void
  readonly #byAccessKey = new Map<string, ApiKey>()

  /** @param options touched: follows each change; kept: the keys of an earlier run */
  constructor(options: { now: () => number; touched?: () => void; kept?: readonly ApiKey[] }) {
    this.#now = options.now
    this.#touched = options.touched ?? (() => {})
    for (const key of options.kept ?? []) this.#byAccessKey.set(key.accessKey, key)
  }

  create(input: NewKey): ApiKey {
    const key: ApiKey = {
      id: `key_${randomHex(8)}`,
      ...newKeyPair(input.kind),
      ...input,
      wallet: input.wallet?.toLowerCase() ?? null,
      createdAt: this.#now(),
      revokedAt: null,
    }
    this.#byAccessKey.set(key.accessKey, key)
    this.#touched()
    return key
  }

  find(accessKey: string): ApiKey | null {
    return this.#byAccessKey.get(accessKey) ?? null
  }

  byId(id: string): ApiKey | null {
    return this.all().find((key) => key.id === id) ?? null
  }

  all(): ApiKey[] {
    return [...this.#byAccessKey.values()]
  }

  /** @returns null where there is no key of that id; revoking twice changes nothing */
  revoke(id: string): ApiKey | null {
    const key = this.byId(id)
    if (key === null) return null
    if (key.revokedAt === null) {
      key.revokedAt = this.#now()
      this.#touched()
      this.changed.emit()
    }
    return key
  }
}

export function newKeyPair(kind: KeyKind): Pick<ApiKey, 'accessKey' | 'signingSecret'> {
  return { accessKey: `${PREFIXES[kind]}${randomHex(12)}`, signingSecret: `sk_${randomHex(32)}` }
}

export const randomHex = (size: number): string => randomBytes(size).toString('hex')

/** The access key as lists and logs may show it. */
export const maskedKey = (accessKey: string): string => `${accessKey.slice(0, 7)}…${accessKey.slice(-4)}`
