import type { Clock } from '../core/clock.js'
import { toAttestdError } from '../core/errors.js'
import { startTimer } from '../core/time-limit.js'
import type { FetchedMedia, MediaSource } from '../media/media-source.js'
import type { JobRun } from '../queue/queues.js'
import type { AnalyzeJob } from './jobs.js'

/** A fetch that takes longer gives its slot to the next job, ms. A shorter time would make one daemon take jobs that others could compute. */
const ASIDE_AFTER_MS = 500

/**
 * Fetches the media of a job. A slow fetch holds no analyze slot: another job runs meanwhile. One that was too slow before
 * gives its slot away at once, and the job keeps count, so that its next fetch may take longer.
 * @throws AttestdError as `MediaSource.fetch`
 */
export async function fetchAside(
  job: AnalyzeJob,
  run: JobRun<unknown>,
  { clock, media }: { readonly clock: Clock; readonly media: MediaSource },
): Promise<FetchedMedia> {
  const { asset, slowFetches: slowBefore = 0 } = job
  let comeBack = () => {}
  const stopTimer = startTimer(clock, slowBefore > 0 ? 0 : ASIDE_AFTER_MS, () => {
    comeBack = run.stepAside()
  })
  try {
    return await media.fetch({ uri: asset.uri, contentHash: asset.contentHash, slowBefore }, run.signal)
  } catch (error) {
    if (!run.signal.aborted && toAttestdError(error).reason === 'media-too-slow') {
      await run.save({ ...job, slowFetches: slowBefore + 1 } satisfies AnalyzeJob)
    }
    throw error
  } finally {
    stopTimer()
    comeBack()
  }
}
