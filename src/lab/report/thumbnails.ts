import type { ChildProcess } from 'node:child_process'
import type { Clock } from '../../core/clock.js'
import { askLabChild, startLabChild } from '../ask-child.js'
import { interrupted } from '../interrupted.js'
import { fromThumbnailChildSchema, THUMBNAIL } from './thumbnail-messages.js'

/** A picture that takes longer is left out, ms. */
const TIMEOUT_MS = THUMBNAIL.timeoutSeconds * 1500

/**
 * Small JPEG pictures as `data:` URLs, decoded in their own process; what cannot be decoded is left out.
 * @param files path of each picture by the name it gets in the result
 * @throws AttestdError draining (the signal aborted)
 */
export async function makeThumbnails(
  files: ReadonlyMap<string, string>,
  clock: Clock,
  signal: AbortSignal,
): Promise<Map<string, string>> {
  const made = new Map<string, string>()
  let child: ChildProcess | null = null
  try {
    for (const [name, file] of files) {
      if (signal.aborted) throw interrupted()
      child ??= startLabChild(import.meta.url, 'thumbnail-child')
      const answer = await askLabChild(child, { file }, fromThumbnailChildSchema, { clock, timeoutMs: TIMEOUT_MS })
      if (answer === null) child = null
      else if ('jpeg' in answer) made.set(name, `data:image/jpeg;base64,${answer.jpeg}`)
    }
    return made
  } finally {
    child?.kill('SIGKILL')
  }
}
