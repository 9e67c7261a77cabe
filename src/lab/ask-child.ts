import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { z } from 'zod'
import type { Clock } from '../core/clock.js'
import { entryFile } from '../core/files.js'
import { withinLimit } from '../core/time-limit.js'

/** Starts a process of the lab that opens what others made: nothing of this environment, ended with this process. */
export function startLabChild(importMetaUrl: string, name: string): ChildProcess {
  return fork(entryFile(importMetaUrl, name), [], {
    env: {},
    execArgv: [],
    cwd: '/',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
}

/** Asks a process one thing; null, and it is killed, where it ends, takes `timeoutMs`, or answers in another shape. */
export async function askLabChild<T>(
  child: ChildProcess,
  question: Record<string, unknown>,
  shape: z.ZodType<T>,
  { clock, timeoutMs }: { readonly clock: Clock; readonly timeoutMs: number },
): Promise<T | null> {
  const over = new AbortController()
  const { signal } = over
  const answered = once(child, 'message', { signal }).then(([raw]: unknown[]) => raw)
  const ended = once(child, 'exit', { signal }).then(() => null)
  // The one that comes second is aborted below.
  for (const each of [answered, ended]) each.catch(() => {})
  child.send(question, () => {})
  const raw = await withinLimit(clock, timeoutMs, Promise.race([answered, ended]), () => null).catch(() => null)
  over.abort()
  const parsed = shape.safeParse(raw)
  if (parsed.success) return parsed.data
  child.kill('SIGKILL')
  return null
}
