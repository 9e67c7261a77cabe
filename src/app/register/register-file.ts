import fs from 'node:fs/promises'
import path from 'node:path'
import type { Hex } from 'viem'
import type { OffchainAttestation } from '../../chain/eas/wire.js'
import { AttestdError, errorText } from '../../core/errors.js'
import type { MediaType } from '../../core/media-types.js'
import { mediaTypeOf, sniff } from '../../formats/sniff.js'
import { createContentHasher } from '../../media/content-hash.js'
import type { ContentHashAlgorithm } from '../../media/media-source.js'
import type { Turnaround } from '../../service/port.js'
import { UPLOAD_MAX_BYTES } from '../../service/upload.js'
import { MEDIA_CONTEXT_MAX } from '../../service/wire-fields.js'
import type { SubmitterSide } from './submitter-side.js'

/** What a person states about a file to register; the rest is read from it. */
export interface NewAssetRequest {
  readonly file: string
  /** @default the file's name */
  readonly title?: string | undefined
  readonly mediaContext?: string | undefined
  /** @default detected from the bytes */
  readonly mediaType?: MediaType | undefined
  readonly turnaround?: Turnaround | undefined
  /** @default made from the wallet, or the content hash without one */
  readonly attestationUid?: Hex | undefined
  /** How long the asset stays open, ms. */
  readonly openForMs: number
  readonly contentHash: ContentHashAlgorithm
}

/** An asset on the books of the service. */
export interface Registered {
  readonly id: string
  readonly attestationUid: Hex
  /** What the uid is of; null where it was given, or made without a wallet. */
  readonly attestation: OffchainAttestation | null
  readonly contentHash: Hex
  readonly uri: string
  readonly title: string
  /** Null where the bytes do not show it and the API does not require it. */
  readonly mediaType: MediaType | null
  readonly bytes: number
  /** ISO 8601. */
  readonly verificationDeadline: string
}

/**
 * Uploads a file and registers it as an open asset. Nothing is registered where the service computes another hash.
 * @throws AttestdError upload-refused, media-unsupported, content-hash-mismatch, setting-invalid, service-*, wallet-*
 */
export async function registerFile(
  side: SubmitterSide,
  request: NewAssetRequest,
  signal?: AbortSignal,
): Promise<Registered> {
  checkRequest(side, request)
  const { mediaContext = '' } = request
  const content = await readUpload(request.file)
  const mediaType = await mediaTypeIn(side, request, content)
  const name = path.basename(request.file)
  const contentHash = await hashOf(content, request.contentHash)
  const stored = await side.upload({ name, content }, signal)
  if (stored.contentHash.toLowerCase() !== contentHash) throw otherHash(stored.contentHash, contentHash, request)
  const { uri } = stored
  const now = await side.now(signal)
  const attestation = request.attestationUid ? null : ((await side.attest?.({ contentHash, uri }, now)) ?? null)
  const attestationUid = request.attestationUid ?? attestation?.uid ?? contentHash
  const title = request.title ?? name
  const verificationDeadline = new Date(now + request.openForMs).toISOString()
  const asset = {
    title,
    mediaContext,
    contentHash,
    uri,
    contributorAttestationUid: attestationUid,
    verificationDeadline,
    ...(side.takesHints && mediaType ? { mediaType } : {}),
    turnaround: request.turnaround,
  }
  const id = await side.register(asset, signal).catch((error: unknown) => {
    throw maybeRegistered(error)
  })
  const bytes = content.byteLength
  return { id, attestationUid, attestation, contentHash, uri, title, mediaType, bytes, verificationDeadline }
}

/** What can be known to be wrong before anything is sent. */
function checkRequest(
  { takesHints }: SubmitterSide,
  { mediaContext = '', mediaType, turnaround }: NewAssetRequest,
): void {
  if (mediaContext.length > MEDIA_CONTEXT_MAX) {
    throw new AttestdError('setting-invalid', `A context has at most ${MEDIA_CONTEXT_MAX} characters.`)
  }
  if (!takesHints && (mediaType !== undefined || turnaround !== undefined)) {
    throw new AttestdError('setting-invalid', 'This API has no field for the media type or the turnaround.')
  }
}

/** The bytes of a file that can be uploaded; what cannot is refused before it is read. */
async function readUpload(file: string): Promise<Uint8Array> {
  // Not to wait for a writer, where it is a named pipe.
  const flags = fs.constants.O_RDONLY | fs.constants.O_NONBLOCK
  const handle = await fs.open(file, flags).catch((cause) => {
    throw new AttestdError('setting-invalid', `${file} cannot be read (${errorText(cause)}).`, { cause })
  })
  try {
    const stat = await handle.stat()
    if (!stat.isFile()) throw new AttestdError('upload-refused', `${file} is not a file, so it was not sent.`)
    if (stat.size === 0) throw new AttestdError('upload-refused', `${file} is empty, so it was not sent.`)
    if (stat.size > UPLOAD_MAX_BYTES) {
      const mebibytes = (stat.size / 1024 ** 2).toFixed(1)
      throw new AttestdError(
        'upload-refused',
        `${file} has ${mebibytes} MiB; at most 50 can be uploaded, so it was not sent.`,
      )
    }
    return await handle.readFile()
  } finally {
    await handle.close()
  }
}

async function mediaTypeIn(
  { takesHints }: SubmitterSide,
  { file, mediaType }: NewAssetRequest,
  content: Uint8Array,
): Promise<MediaType | null> {
  const known = mediaType ?? mediaTypeOf(await sniff(content))
  if (known !== null || !takesHints) return known
  throw new AttestdError('media-unsupported', `${file} does not show its media type; set it with --media-type.`)
}

async function hashOf(content: Uint8Array, algorithm: ContentHashAlgorithm): Promise<Hex> {
  const hasher = createContentHasher(algorithm)
  await hasher.update(content)
  return hasher.digest() as Hex
}

function otherHash(theirs: string, ours: string, { contentHash }: NewAssetRequest): AttestdError {
  return new AttestdError(
    'content-hash-mismatch',
    `The service computed a different hash of the file: ${theirs}, here ${ours} (${contentHash}). Nothing was registered.`,
  )
}

/** A registration without a clear answer is not repeated: it could be on the books twice. */
function maybeRegistered(error: unknown): unknown {
  if (!(error instanceof AttestdError) || !error.ambiguous) return error
  const message = `${error.message}. The asset may be registered nevertheless; check before you register it again`
  return new AttestdError(error.reason, message, { cause: error, ambiguous: true, facts: error.facts })
}
