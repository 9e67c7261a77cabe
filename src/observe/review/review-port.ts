import type { MediaType } from '../../core/media-types.js'
import type { Risk } from '../../core/risk.js'

/** An unsure asset that waits for a person, as the pages show it; title and URI are a submitter's words. */
export interface ReviewRow {
  /** Of its job, safe in a path. */
  readonly id: string
  readonly assetId: string
  readonly title: string
  readonly mediaType: MediaType
  readonly isUrgent: boolean
  /** Unix ms. */
  readonly deadline: number
  /** What the detector measured. */
  readonly risk: Risk
  readonly algorithm: string
}

/** All that one page shows of an asset. */
export interface ReviewItem extends ReviewRow {
  /** Why the detector is unsure, as the end of a sentence about its risk. */
  readonly doubt: string
  /** What the detector saw. */
  readonly notes: string
  readonly parts: readonly { readonly name: string; readonly risk: Risk }[]
  readonly evidence: readonly { readonly kind: string; readonly text: string }[]
  /** Why this daemon cannot show the media; null where it can. */
  readonly viewGap: string | null
}

/** `media`: the picture, the sound, frames of the video or the text; `map`: where in a picture the risk lies. */
export type ViewKind = 'media' | 'map'

/** What the review pages ask of the daemon. Errors are `AttestdError`s. */
export interface ReviewHandlers {
  /** Unix ms of service time where it is known: deadlines are. */
  now(): number
  /** The nearest deadline first. */
  list(): Promise<readonly ReviewRow[]>
  /** @throws AttestdError review-decided, review-expired */
  open(id: string): Promise<ReviewItem>
  /** Made anew from what a detector process decoded: JPEG, PNG (`map`), WAV or UTF-8. @throws AttestdError media-*, detector-* */
  view(id: string, what: ViewKind): Promise<Buffer>
  /** @throws AttestdError review-decided, review-expired, asset-closed, score-conflict */
  decide(id: string, decision: { readonly risk: Risk; readonly note: string; readonly by: string }): Promise<void>
}
