/** The work's outcome, or a rejection with the signal's reason as soon as it aborts; the work itself goes on unwatched. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work
  let onAbort = () => {}
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason)
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

/** See `followerOf`. */
export interface Follower {
  readonly signal: AbortSignal
  abort(reason: unknown): void
  /** Call when the work has ended: nothing stays behind on the signal that is followed. */
  leave(): void
}

/** A signal that aborts with another one, which may outlive it by far, or by itself. `AbortSignal.any` takes ten times as long. */
export function followerOf(followed: AbortSignal | undefined): Follower {
  const own = new AbortController()
  const follow = () => own.abort(followed?.reason)
  if (followed?.aborted) follow()
  else followed?.addEventListener('abort', follow, { once: true })
  return {
    signal: own.signal,
    abort: (reason) => own.abort(reason),
    leave: () => followed?.removeEventListener('abort', follow),
  }
}
