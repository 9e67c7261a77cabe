import type { Hex } from 'viem'
import type { OffchainAttestation } from '../../chain/eas/attestation.js'
import type { MediaType } from '../../core/media-types.js'
import type { Turnaround } from '../../service/port.js'
import type { UploadFile } from '../../service/upload.js'

/** What a submitter states about a file that is uploaded. */
export interface NewAsset {
  readonly title: string
  /** At most 200 characters, may be empty. */
  readonly mediaContext: string
  /** 0x and 64 hex characters, lower case. */
  readonly contentHash: Hex
  readonly uri: string
  /** Absent where the API has no field for it. */
  readonly mediaType?: MediaType | undefined
  /** Absent where the submitter did not state. */
  readonly turnaround?: Turnaround | undefined
  /** Made from the wallet, or from the content hash, where absent. */
  readonly attestationUid?: Hex | undefined
  /** Unix milliseconds. */
  readonly deadline: number
}

/** An asset as the service took it. */
export interface RegisteredAsset {
  readonly id: string
  readonly attestationUid: Hex
  /** What the uid is of; null where it was given, or made without a wallet. */
  readonly attestation: OffchainAttestation | null
}

/** How an asset stands, as far as its submitter may see it. */
export type Standing =
  | { readonly state: 'open' | 'closed'; readonly scoreCount: number; readonly aggregate: unknown }
  /** The service no longer shows it to the submitter, or never did. */
  | { readonly state: 'gone' }
  /** This service has no route by which a submitter sees scores. */
  | { readonly state: 'hidden'; readonly message: string }

/** What a submitter does at a service, whichever API it speaks. Errors are `AttestdError`s. */
export interface SubmitterSide {
  /** Whether the API has fields for the kind of media and the turnaround. */
  readonly takesHints: boolean
  /** Service time where a submitter can ask for it, else the local clock; Unix milliseconds. */
  now(signal?: AbortSignal): Promise<number>
  upload(file: UploadFile, signal?: AbortSignal): Promise<{ readonly contentHash: string; readonly uri: string }>
  register(asset: NewAsset, signal?: AbortSignal): Promise<RegisteredAsset>
  look(assetId: string, signal?: AbortSignal): Promise<Standing>
  close(): Promise<void>
}
