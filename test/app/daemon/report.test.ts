import fs from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Activity } from '../../../src/app/daemon/activity.js'
import { Report } from '../../../src/app/daemon/report.js'
import { DriftWatch } from '../../../src/app/drift/drift-watch.js'
import { silentLog } from '../../../src/core/log.js'
import { asRisk } from '../../../src/core/risk.js'
import type { Detection } from '../../../src/detect/detection.js'
import type { Metrics } from '../../../src/observe/metrics/metrics.js'
import { createThrottledLog } from '../../../src/observe/throttled-log.js'
import {
  type AnalyzeResult,
  parseSubmitJob,
  type StoredSubmitJob,
  type SubmitResult,
  storeAnalyzeResult,
  storeSubmitResult,
} from '../../../src/pipeline/jobs.js'
import { Ledger } from '../../../src/pipeline/ledger.js'
import { KeptLog } from '../../support/kept-log.js'
import { ManualClock } from '../../support/manual-clock.js'
import { newMetrics } from '../../support/metric-lines.js'
import { submitJobData } from '../../support/pipeline-parts.js'
import { folderForEach } from '../../support/temporary-folder.js'

const folder = folderForEach()
let clock: ManualClock
let metrics: Metrics
let activity: Activity
let report: Report
let missed: number
let closed: string[]
let log: KeptLog

beforeEach(async () => {
  clock = new ManualClock()
  metrics = newMetrics(clock)
  activity = new Activity(() => clock.monotonic())
  missed = 0
  log = new KeptLog()
  const outages = createThrottledLog({ log, clock })
  closed = []
  const onSubmitted = (id: string, outcome: string) => outcome === 'closed' && closed.push(id)
  report = new Report({
    metrics,
    ledger: new Ledger(folder),
    activity,
    drift: new DriftWatch({ modelsDir: folder, folder }, silentLog),
    clock,
    log,
    outages,
    onMissed: () => missed++,
    onSubmitted,
  })
})
afterEach(async () => {
  await report.flush()
})

const { asset } = submitJobData()
const accepted = { outcome: 'accepted', scoreId: 's1', risk: asRisk(0.875), attester: '0x1' } as const

const ended = { id: 'x', attempt: 1, elapsedMs: 5 }
function submitted(result: SubmitResult, change: Partial<StoredSubmitJob> = {}): void {
  report.worker.completed?.({
    ...ended,
    queue: 'submit',
    data: submitJobData(change),
    result: storeSubmitResult(result),
  })
}
function analyzed(result: AnalyzeResult): void {
  report.worker.completed?.({
    ...ended,
    queue: 'analyze-image',
    data: { asset, seenAt: 0 },
    result: storeAnalyzeResult(result),
  })
}

async function metric(line: string): Promise<string | undefined> {
  return (await metrics.text()).split('\n').find((one) => one.startsWith(line))
}

describe('the report', () => {
  it('an accepted score becomes a number, a ledger line and a console row', async () => {
    const seenAt = clock.now() - 2500
    submitted(accepted, { seenAt })
    await report.flush()
    expect(await metric('attestd_scores_total{how="accepted"}')).toMatch(/ 1$/)
    expect(await metric('attestd_open_to_accepted_seconds_sum{turnaround="standard"}')).toMatch(/ 2\.5$/)
    expect(activity.recent).toMatchObject([
      { assetId: 'asset-1', outcome: 'accepted', scoreId: 's1', openToRecordMs: 2500 },
    ])
    expect(await new Ledger(folder).recent(5)).toMatchObject([{ kind: 'receipt', scoreId: 's1', risk: 0.875 }])
  })

  it('a risk is a percentage in every number and file, and a probability internally', async () => {
    const { verdict } = parseSubmitJob(submitJobData())
    analyzed({ outcome: 'scored', mediaType: 'image', verdict, cached: false })
    submitted(accepted)
    const elapsedMs = { decode: 1, infer: 4 }
    const by = (risk: number) => ({ detectorDigest: 'dd', risk: asRisk(risk), rawScore: 0, elapsedMs }) as Detection
    const detector = { id: 's', version: '1', title: 's', mediaTypes: ['image'], digest: 'dd' } as const
    report.pipeline.compared?.({
      asset: { ...asset, mediaType: 'image' },
      submitted: by(0.876_543),
      measurement: { detector, totalMs: 5, detection: by(0.125) },
      agrees: false,
      wouldChange: true,
    })
    await report.flush()
    expect(await metric('attestd_risk_percent_sum{detector="d",media_type="image"}')).toMatch(/ 87\.5$/)
    expect(await metric('attestd_shadow_risk_difference_percent_sum{detector="s"}')).toMatch(/ 75\.15/)
    expect(activity.recent).toMatchObject([{ risk: 0.875 }])
    const [file] = await fs.readdir(folder)
    const lines = (await fs.readFile(path.join(folder, file!), 'utf8')).trim().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { kind: 'verdict', risk: 87.5 },
      { kind: 'receipt', risk: 87.5 },
      { kind: 'shadow', risk: 12.5, submittedRisk: 87.65 },
    ])
  })

  it('a priority asset whose score came after five minutes counts as missed', async () => {
    const urgent = { ...asset, turnaround: 'priority_5min' as const }
    submitted(accepted, { asset: urgent, seenAt: clock.now() - 5 * 60_000 })
    expect(await metric('attestd_missed_total{turnaround="priority_5min",reason="late"}')).toMatch(/ 0$/)
    submitted(accepted, { asset: urgent, seenAt: clock.now() - 5 * 60_000 - 1 })
    expect(await metric('attestd_missed_total{turnaround="priority_5min",reason="late"}')).toMatch(/ 1$/)
    expect(missed).toBe(1)
  })

  it('an abstention is kept with its reason', async () => {
    analyzed({ outcome: 'abstained', reason: 'media-corrupt', message: 'torn' })
    await report.flush()
    expect(await metric('attestd_abstained_total{reason="media-corrupt",media_type="image"}')).toMatch(/ 1$/)
    expect(await new Ledger(folder).recent(5)).toMatchObject([{ kind: 'abstained', reason: 'media-corrupt' }])
  })

  it('an analysis that ends after its asset closed counts as missed, with its last failure if it had an attempt', async () => {
    const event = { assetId: asset.id, turnaround: 'standard', asset } as const
    const closesAt = clock.now() + 1
    report.pipeline.dropped?.({ ...event, asset: { ...asset, closesAt }, failure: null })
    expect(missed).toBe(0)
    await clock.advance(1)
    report.pipeline.dropped?.({ ...event, asset: { ...asset, closesAt }, failure: null })
    expect(missed).toBe(1)
    await report.flush()
    expect(await new Ledger(folder).recent(5)).toEqual([])
    report.pipeline.dropped?.({ ...event, failure: { reason: 'media-unreachable', message: 'no gateway' } })
    await report.flush()
    expect(await metric('attestd_missed_total{turnaround="standard",reason="asset-closed"}')).toMatch(/ 2$/)
    expect(await metric('attestd_assets_total{how="dropped",turnaround="standard"}')).toMatch(/ 3$/)
    expect(activity.recent).toMatchObject([{ outcome: 'failed', reason: 'media-unreachable' }])
    expect(await new Ledger(folder).recent(5)).toMatchObject([
      { kind: 'failed', queue: 'analyze', reason: 'media-unreachable', message: 'no gateway' },
    ])
  })

  it('a submission that found its asset closed is reported, so that the asset can be looked up again', async () => {
    submitted({ outcome: 'closed', maybeStored: false })
    await report.flush()
    expect(closed).toEqual(['asset-1'])
    expect(await metric('attestd_missed_total{turnaround="standard",reason="asset-closed"}')).toMatch(/ 1$/)
  })

  it('only the last attempt of a job counts as failed', async () => {
    const failure = {
      queue: 'submit',
      id: 'x',
      data: submitJobData(),
      reason: 'service-failing',
      message: 'm',
    } as const
    report.worker.failed?.({ ...failure, attempt: 1, final: false, retryInMs: 5 })
    expect(activity.recent).toEqual([])
    report.worker.failed?.({ ...failure, attempt: 2, final: true, retryInMs: null })
    await report.flush()
    expect(activity.recent).toMatchObject([{ outcome: 'failed', reason: 'service-failing' }])
    expect(await metric('attestd_retries_total{queue="submit",reason="service-failing"}')).toMatch(/ 1$/)
    expect(await metric('attestd_jobs_total{queue="submit",outcome="failed",reason="service-failing"}')).toMatch(/ 1$/)
  })

  it('an outage writes a few lines a minute, however many jobs wait for its end', async () => {
    const tried = { queue: 'submit', id: 'x', data: submitJobData(), attempt: 2, final: false, retryInMs: 5 } as const
    for (let nth = 0; nth < 1000; nth++) report.worker.failed?.({ ...tried, reason: 'service-failing', message: 'm' })
    report.worker.failed?.({ ...tried, reason: 'service-timeout', message: 'm' })
    expect(log.messages.filter((message) => message.startsWith('attempt failed'))).toHaveLength(31)
    expect(await metric('attestd_retries_total{queue="submit",reason="service-failing"}')).toMatch(/ 1000$/)
  })

  it('a failed job with unreadable data is counted as well', async () => {
    const event = { queue: 'analyze-image', id: 'x', data: null, reason: 'job-malformed', message: 'm' } as const
    report.worker.failed?.({ ...event, attempt: 1, final: true, retryInMs: null })
    expect(await metric('attestd_jobs_total{queue="analyze-image",outcome="failed",reason="job-malformed"}')).toMatch(
      / 1$/,
    )
  })

  it('a forged job leaves a count alone: its writer fills neither log nor ledger nor console', async () => {
    const event = { queue: 'submit', id: 'x', data: submitJobData(), message: 'm', attempt: 1 } as const
    report.worker.failed?.({ ...event, reason: 'fleet-code-wrong', final: true, retryInMs: null })
    await report.flush()
    expect([log.messages, activity.recent, await new Ledger(folder).recent(1)]).toEqual([[], [], []])
    expect(await metric('attestd_jobs_total{queue="submit",outcome="failed",reason="fleet-code-wrong"}')).toMatch(/ 1$/)
  })

  it('a ledger that cannot be written loses its lines only', async () => {
    await fs.rm(folder, { recursive: true })
    await fs.writeFile(folder, 'not a directory')
    analyzed({ outcome: 'abstained', reason: 'media-empty', message: '' })
    await expect(report.flush()).resolves.toBeUndefined()
    expect(activity.recent.length).toBe(1)
  })
})
