import { z } from 'zod'
import type { LoadedSettings } from '../../config/load.js'
import { systemClock } from '../../core/clock.js'
import { errorText } from '../../core/errors.js'
import { silentLog } from '../../core/log.js'
import { createAudit } from '../../observe/audit.js'
import type { ControlFile } from '../../observe/control-file.js'
import { controlOf, type ListQuery, listedJob, retryingJob } from '../daemon/control.js'
import { dataPaths } from '../data-dir.js'
import { openQueue } from '../open/open-queue.js'
import { callDaemon, osUser, runningDaemon } from '../running-daemon.js'

/** A person waits: longer than this, ms, and a Redis that does not answer is reported. */
const START_WAIT_MS = 3000

export interface QueueControl extends ReturnType<typeof controlOf> {
  close(): Promise<void>
}

/** Through the running daemon, else an engine opened here. @throws queue-unreachable, queue-in-use, setting-invalid */
export async function openQueueControl({
  settings,
  origins,
}: Pick<LoadedSettings, 'settings' | 'origins'>): Promise<QueueControl> {
  // A queue that is named on the command line is meant, whatever queue the daemon works on.
  const named = origins.queueUrl.startsWith('--') || origins.queuePrefix.startsWith('--')
  const daemon = named ? null : await runningDaemon(settings.dataDir)
  if (daemon) return throughDaemon(daemon)
  const queue = await openQueue(settings, { startWaitMs: START_WAIT_MS })
  // Of a daemon that does not run now, or of another machine's queue: only in the file, where there is a data directory.
  const audit = createAudit(dataPaths(settings.dataDir).audit, { clock: systemClock, log: silentLog })
  const control = controlOf(queue)
  const recorded =
    <Body, Result>(action: string, work: (body: Body) => Promise<Result>) =>
    async (body: Body): Promise<Result> => {
      const record = (result: unknown) => audit.record({ who: osUser(), by: 'verb', action, what: body, result })
      try {
        const result = await work(body)
        record(result)
        return result
      } catch (error) {
        record(errorText(error))
        throw error
      }
    }
  return {
    ...control,
    retry: recorded('retry', control.retry),
    drain: recorded('drain', control.drain),
    pause: recorded('pause', control.pause),
    resume: recorded('resume', control.resume),
    close: async () => {
      await audit.flush()
      await queue.close()
    },
  }
}

const pausedReply = z.object({ paused: z.array(z.string()) })

function throughDaemon(control: ControlFile): QueueControl {
  const post = <T>(path: string, body: unknown, answer: z.ZodType<T>) =>
    callDaemon(control, { method: 'POST', path, body, answer })
  const list = async <T>(path: string, { queue, limit }: ListQuery, job: z.ZodType<T>) => {
    const query = new URLSearchParams({ limit: String(limit), ...(queue ? { queue } : {}) })
    const call = { method: 'GET', path: `${path}?${query}`, answer: z.object({ jobs: z.array(job) }) } as const
    return (await callDaemon(control, call)).jobs
  }
  return {
    failed: (query) => list('/control/failed', query, listedJob),
    waiting: (query) => list('/control/waiting', query, retryingJob),
    retry: async (body) => (await post('/control/retry', body, z.object({ retried: z.number() }))).retried,
    drain: async (body) => (await post('/control/drain', body, z.object({ drained: z.number() }))).drained,
    pause: async (body) => (await post('/control/pause', body, pausedReply)).paused,
    resume: async (body) => (await post('/control/resume', body, pausedReply)).paused,
    close: async () => {},
  }
}
