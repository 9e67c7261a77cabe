import type { Clock } from '../../core/clock.js'
import { AttestdError } from '../../core/errors.js'
import type { ReviewHandlers, ReviewRow } from '../../observe/review/review-port.js'
import { decide, inReview, openReview, type WaitingReview, waitingReviews } from '../../pipeline/review-desk.js'
import type { AttesterService } from '../../service/port.js'
import { type ServiceClock, statedOrLocal } from '../../service/service-clock.js'
import type { DaemonParts } from '../parts.js'
import { ReviewViews, type ViewParts } from './review-views.js'

const COUNTED = 1000

/** What of this daemon the review pages use. */
export interface ReviewSide {
  /** Null where it does not analyze: it then shows no media. */
  readonly analysis: (ViewParts & { readonly detectors: { detectorFor(mediaType: string): unknown } }) | null
  readonly service: { readonly service: AttesterService; readonly clock: Pick<ServiceClock, 'stated'> } | null
}

/** The review pages of this daemon, which may show and decide what any daemon of the queue measured. */
export function reviewOf(parts: DaemonParts, side: ReviewSide): ReviewHandlers {
  const { analysis, service } = side
  const { queue } = parts
  const views = analysis && new ReviewViews(analysis)
  const clock = deskClock(parts, side)
  const options = { clock, queue, service: service?.service }
  return {
    now: clock.now,
    list: async () => (await waitingReviews(queue, clock.now())).map(rowOf),
    async open(id) {
      const waiting = await openReview(id, options)
      const { review, verdict } = waiting.job
      const { doubt, evidence, parts } = review
      const row = rowOf(waiting)
      return { ...row, doubt, notes: verdict.notes, parts, evidence, viewGap: gapOf(analysis, row) }
    },
    async view(id, what) {
      const { job } = await openReview(id, options)
      if (views === null) throw new AttestdError('detector-none')
      return views.view(job.asset, what)
    },
    async decide(id, decision) {
      await decide(id, decision, options)
    },
  }
}

/** Service time, by which deadlines are stated; the local clock where this daemon does not know it. */
function deskClock(
  { clock }: Pick<DaemonParts, 'clock'>,
  { service }: Pick<ReviewSide, 'service'>,
): Pick<Clock, 'now' | 'sleep'> {
  return { now: () => statedOrLocal(service?.clock, clock), sleep: (ms, signal) => clock.sleep(ms, signal) }
}

function gapOf(analysis: ReviewSide['analysis'], { mediaType }: ReviewRow): string | null {
  if (analysis?.detectors.detectorFor(mediaType)) return null
  return `This daemon has no detector for ${mediaType} and cannot show the media. Open this page on a daemon that analyzes ${mediaType} (attestd status --fleet lists them).`
}

function rowOf({ id, job: { asset, review, verdict } }: WaitingReview): ReviewRow {
  const { mediaType, title, turnaround } = asset
  const { algorithm, risk } = verdict
  const isUrgent = turnaround === 'priority_5min'
  return { id, assetId: asset.id, title, mediaType, isUrgent, deadline: review.deadline, risk, algorithm }
}

/** Writes how many assets wait for a person, and how near the first deadline is, for a scrape. */
export async function collectReview(
  parts: Pick<DaemonParts, 'clock' | 'metrics' | 'queue'>,
  side: Pick<ReviewSide, 'service'>,
): Promise<void> {
  const { metrics, queue } = parts
  // First, because the command after it would wait for an engine that is away.
  await queue.ping()
  const jobs = await queue.retrying('submit', COUNTED)
  const deadlines = jobs.flatMap(({ data, id }) => inReview(id, data)?.job.review.deadline ?? [])
  metrics.reviewWaiting.set({}, deadlines.length)
  if (deadlines.length > 0)
    metrics.reviewDeadline.set({}, (Math.min(...deadlines) - deskClock(parts, side).now()) / 1000)
}
