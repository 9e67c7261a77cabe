import fs from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { AttestdError, errorText } from '../core/errors.js'
import type { MediaType } from '../core/media-types.js'
import type { SignedKeyClient } from '../service/signed-key/client.js'

export interface SubmitterOptions {
  readonly serviceUrl: string
  readonly client: SignedKeyClient
  /** Bearer token of the dashboard session, which the upload route takes. */
  readonly sessionToken: string
}

export interface Registration {
  readonly file: string
  readonly title: string
  readonly mediaType: MediaType
  /** How long the asset stays open, ms. */
  readonly openForMs: number
}

const uploadReply = z.object({ contentHash: z.string().regex(/^0x[0-9a-f]{64}$/), uri: z.string().min(1) })
const registered = z.object({ id: z.string() })

/** An upload takes at most this long, ms. */
const UPLOAD_TIMEOUT_MS = 60_000

/**
 * The submitter's side: uploads a file and registers it as an open asset.
 * @returns the asset's id
 * @throws AttestdError service-*
 */
export async function registerFile(options: SubmitterOptions, wanted: Registration): Promise<string> {
  const { contentHash, uri } = await upload(options, wanted.file)
  const reply = await options.client.register({
    title: wanted.title,
    mediaContext: '',
    contentHash,
    uri,
    contributorAttestationUid: contentHash,
    verificationDeadline: new Date(Date.now() + wanted.openForMs).toISOString(),
    mediaType: wanted.mediaType,
  })
  return parseReply(registered, reply).id
}

async function upload({ serviceUrl, sessionToken }: SubmitterOptions, file: string) {
  const form = new FormData()
  form.append('file', new Blob([await fs.readFile(file)]), path.basename(file))
  try {
    const response = await fetch(new URL('/api/media/upload', serviceUrl), {
      method: 'POST',
      headers: { authorization: `Bearer ${sessionToken}` },
      body: form,
      redirect: 'error',
      signal: AbortSignal.timeout(UPLOAD_TIMEOUT_MS),
    })
    if (!response.ok) throw new AttestdError('service-refused', `The upload was answered with ${response.status}.`)
    return parseReply(uploadReply, await response.json())
  } catch (error) {
    if (error instanceof AttestdError) throw error
    throw new AttestdError('service-unreachable', `The upload failed (${errorText(error)}).`, { cause: error })
  }
}

function parseReply<T>(schema: z.ZodType<T>, reply: unknown): T {
  const parsed = schema.safeParse(reply)
  if (parsed.success) return parsed.data
  throw new AttestdError(
    'service-reply-invalid',
    `The answer is not of the stated shape: ${z.prettifyError(parsed.error)}`,
  )
}
