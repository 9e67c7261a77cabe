import type { MediaType } from '../core/media-types.js'
import type { Risk } from '../core/risk.js'

/** How fast the submitter wants scores; `priority_5min` goes first. */
export type Turnaround = 'standard' | 'priority_5min'

/** An open asset as the pipeline sees it, whichever API it came from. */
export interface Asset {
  readonly id: string
  readonly title: string
  /** The submitter's hint, at most 200 characters, may be empty. */
  readonly mediaContext: string
  /** 0x and 64 hex characters, lower case. */
  readonly contentHash: string
  readonly uri: string
  /** Null where the service does not state it; the bytes then show it. */
  readonly mediaType: MediaType | null
  readonly turnaround: Turnaround
  /** When it closes, Unix ms; absent where the service does not state it. */
  readonly closesAt?: number
  /** Of all attesters; null where the service does not state it. */
  readonly scoreCount: number | null
  /** The risk that this attester has on record; null: none on record; undefined: was not asked. */
  readonly myScore?: Risk | null | undefined
  /** The algorithm label of that score, where the service shows it. */
  readonly myAlgorithm?: string | undefined
}

/** Stake of the key's wallet, in wei. */
export interface Stake {
  readonly stakedWei: bigint
  readonly minStakeWei: bigint
}

export interface Score {
  readonly assetId: string
  /** The asset's, for what is attested. */
  readonly contentHash: string
  /** Calibrated probability of being fake, in whole basis points; the adapter turns it into the numbers of its API. */
  readonly risk: Risk
  readonly algorithm: string
  readonly notes: string
}

/** Proof that the service took a score. */
export interface Receipt {
  /** The id of the score record, where the service stated it. */
  readonly scoreId: string | null
  readonly risk: Risk
  /** Attester address as the service stated it, where it did. */
  readonly attester: string | null
}

/** Changes of the open set, the same for both APIs; `ids` also names assets that are malformed and not in `assets`. */
export type ServiceEvent =
  /** A connection is open and the service sent its first event. */
  | { readonly kind: 'ready'; readonly stake: Stake | null }
  | { readonly kind: 'snapshot'; readonly assets: readonly Asset[]; readonly ids: readonly string[] }
  | { readonly kind: 'delta'; readonly assets: readonly Asset[]; readonly ids: readonly string[] }
  | { readonly kind: 'heartbeat' }
  /** A large event came too soon after another to be read: the list states what is open now. */
  | { readonly kind: 'unread' }
  /** Something on the stream went wrong; the reader recovers by itself and continues. */
  | {
      readonly kind: 'trouble'
      readonly reason: import('../core/reasons.js').Reason
      readonly message: string
      readonly retryInMs?: number
    }

/** What the pipeline needs of a media-verification service. Errors are `AttestdError`s with a reason from the list. */
export interface AttesterService {
  /** The open set, counted against the key's rate limit. Malformed assets are left out and counted. */
  listOpen(
    options: { includeMyScore: boolean },
    signal?: AbortSignal,
  ): Promise<{ assets: Asset[]; stake: Stake | null }>
  /** One asset with `myScore`; null: not open. One that closed with our score on it is given where a service shows it. */
  find(id: string, signal?: AbortSignal): Promise<Asset | null>
  /** Events of the open set until the signal aborts; reconnects by itself and never throws for trouble on the wire. */
  watch(signal: AbortSignal): AsyncIterable<ServiceEvent>
  /**
   * Sends one score exactly once: never repeated or signed again by itself, not even after a 401 (which refreshes the clock for
   * the caller's next try). `AttestdError.ambiguous` states whether a failed call may still have been stored.
   * @param signedAt service time (Unix ms) that is signed into the request, or later than what is (an attestation is not dated
   *   ahead of the chain). The caller has recorded it, so that it knows when the request can no longer be accepted, however
   *   late it arrives.
   * @param lastLook called when the request is about to leave: what it throws keeps the request back
   */
  submit(score: Score, signedAt: number, signal?: AbortSignal, lastLook?: () => void): Promise<Receipt>
}
