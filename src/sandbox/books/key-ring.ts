import { ChangeFeed } from './change-feed.js'

const KEY_KINDS = ['attester', 'submitter'] as const
/** Attesters list and score, submitters upload and register. Also the roles that a session of a wallet can have. */
export type KeyKind = (typeof KEY_KINDS)[number]

/** An access key as the service holds it, secret included: a sandbox needs it in clear to compute signatures. */
export interface ApiKey {
  readonly id: string
  readonly kind: KeyKind
  readonly label: string
  readonly accessKey: string
  readonly signingSecret: string
  /** 0x and 40 hex characters, lower case; null: no wallet is linked. */
  readonly wallet: string | null
  readonly createdAt: number
  revokedAt: number | null
}

/** Bytes of chance of the given length. */
export type RandomBytes = (size: number) => Uint8Array

/** What a key is made of. `wallet` null links none: requests by such a key are refused with wallet-not-linked. */
export type NewKey = Pick<ApiKey, 'kind' | 'label' | 'wallet'> &
  /** Given for fixed tests; made up otherwise. */
  Partial<Pick<ApiKey, 'accessKey' | 'signingSecret'>>

const PREFIXES: Readonly<Record<KeyKind, string>> = { attester: 'ak_att_', submitter: 'ak_sub_' }

/** Creates, finds and revokes access keys. */
export class KeyRing {
  readonly changed = new ChangeFeed()
  readonly #random: RandomBytes
  readonly #now: () => number
  readonly #touched: () => void
  readonly #byAccessKey = new Map<string, ApiKey>()

  /** @param options touched: follows each change; kept: the keys of an earlier run */
  constructor(options: { random: RandomBytes; now: () => number; touched?: () => void; kept?: readonly ApiKey[] }) {
    this.#random = options.random
    this.#now = options.now
    this.#touched = options.touched ?? (() => {})
    for (const key of options.kept ?? []) this.#byAccessKey.set(key.accessKey, key)
  }

  create(input: NewKey): ApiKey {
    const key: ApiKey = {
      id: `key_${hex(this.#random(8))}`,
      kind: input.kind,
      label: input.label,
      accessKey: input.accessKey ?? `${PREFIXES[input.kind]}${hex(this.#random(12))}`,
      signingSecret: input.signingSecret ?? `sk_${hex(this.#random(32))}`,
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

/** The access key as lists and logs may show it. */
export const maskedKey = (accessKey: string): string => `${accessKey.slice(0, 7)}…${accessKey.slice(-4)}`

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
