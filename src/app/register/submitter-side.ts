import type { z } from 'zod'
import { AttestdError } from '../../core/errors.js'
import { assetIdIn } from '../../service/record.js'
import { shapeText } from '../../service/shape-text.js'
import type { UploadFile } from '../../service/upload.js'
import type { registrationSchema } from '../../service/wire-fields.js'
import type { AttestUpload } from './contributor-attestation.js'

/** What a submitter states about a file that is uploaded; media type and turnaround only where the API takes hints. */
export type NewAsset = z.infer<typeof registrationSchema>

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
  /** Attests an upload by the wallet; null without one, the content hash then stands for the attestation. */
  readonly attest: AttestUpload | null
  upload(file: UploadFile, signal?: AbortSignal): Promise<{ readonly contentHash: string; readonly uri: string }>
  /** @returns the id of the asset */
  register(asset: NewAsset, signal?: AbortSignal): Promise<string>
  look(assetId: string, signal?: AbortSignal): Promise<Standing>
  close(): Promise<void>
}

/** The id in what a registration was answered with. @throws AttestdError service-reply-invalid */
export function registeredId(record: unknown): string {
  const id = assetIdIn(record)
  if (id) return id
  const answer = `the answer contains no id; it is ${shapeText(record)}`
  throw new AttestdError('service-reply-invalid', `The asset was registered, but ${answer}.`)
}
