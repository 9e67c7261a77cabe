import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { Clock } from '../../core/clock.js'
import { entryFile } from '../../core/files.js'
import { fromThumbnailChildSchema, THUMBNAIL } from './thumbnail-messages.js'

/** A picture that takes longer is left out, ms. */
const TIMEOUT_MS = THUMBNAIL.timeoutSeconds * 1500

/**
 * Small JPEG pictures as `data:` URLs, decoded in a process of their own; what cannot be decoded is left out.
 * @param files path of each picture by the name it gets in the result
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
      signal.throwIfAborted()
      child ??= startChild()
      const jpeg = await askFor(child, file, clock)
      if (jpeg !== null) made.set(name, `data:image/jpeg;base64,${jpeg}`)
      else if (child.exitCode !== null || child.signalCode !== null || child.killed) child = null
    }
    return made
  } finally {
    child?.kill('SIGKILL')
  }
}

function startChild(): ChildProcess {
  return fork(entryFile(import.meta.url, 'thumbnail-child'), [], {
    env: {},
    execArgv: [],
    cwd: '/',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
}

/** The picture in base64; null where there is none. A child that hangs or misspeaks is killed. */
async function askFor(child: ChildProcess, file: string, clock: Clock): Promise<string | null> {
  const over = new AbortController()
  const { signal } = over
  const answered = once(child, 'message', { signal }).then(([raw]: unknown[]) => raw)
  const ended = once(child, 'exit', { signal }).then(() => null)
  const late = clock.sleep(TIMEOUT_MS, signal).then(() => null)
  // What loses the race is aborted below.
  for (const each of [answered, ended, late]) each.catch(() => {})
  child.send({ file }, () => {})
  const raw = await Promise.race([answered, ended, late]).catch(() => null)
  over.abort()
  const parsed = fromThumbnailChildSchema.safeParse(raw)
  if (!parsed.success) child.kill('SIGKILL')
  return parsed.success && 'jpeg' in parsed.data ? parsed.data.jpeg : null
}
