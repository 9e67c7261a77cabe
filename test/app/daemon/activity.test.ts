import { describe, expect, it } from 'vitest'
import { Activity, RECENT_ROWS } from '../../../src/app/daemon/activity.js'
import { CanaryBook } from '../../../src/app/daemon/canary-book.js'
import { asRisk } from '../../../src/core/risk.js'
import type { RecentRow } from '../../../src/observe/console/console-state.js'
import { createMetrics } from '../../../src/observe/metrics/metrics.js'
import type { ShadowComparison } from '../../../src/pipeline/pipeline-events.js'
import type { ServiceEvent } from '../../../src/service/port.js'
import { ManualClock } from '../../support/manual-clock.js'
import { openAsset, storableDetection } from '../../support/pipeline-parts.js'

const row = (assetId: string, outcome: RecentRow['outcome'] = 'accepted'): RecentRow => ({
  at: 1,
  assetId,
  title: '',
  mediaType: 'image',
  outcome,
  risk: null,
  algorithm: null,
  scoreId: null,
  openToRecordMs: null,
  reason: null,
})

function newActivity() {
  const clock = new ManualClock()
  return { clock, activity: new Activity(() => clock.monotonic()) }
}

describe('what happened lately', () => {
  it('is newest first; a verdict makes room for what became of its asset', () => {
    const { activity } = newActivity()
    for (const one of [row('a', 'verdict'), row('b', 'verdict'), row('a', 'accepted')]) activity.addRow(one)
    expect(activity.recent.map(({ assetId, outcome }) => [assetId, outcome])).toEqual([
      ['a', 'accepted'],
      ['b', 'verdict'],
    ])
  })

  it('keeps earlier ends of the same asset', () => {
    const { activity } = newActivity()
    for (const one of [row('a', 'failed'), row('a', 'verdict'), row('a', 'accepted')]) activity.addRow(one)
    expect(activity.recent.map(({ outcome }) => outcome)).toEqual(['accepted', 'failed'])
  })

  it('is so many rows and no more', () => {
    const { activity } = newActivity()
    for (let nth = 0; nth <= RECENT_ROWS; nth++) activity.addRow(row(`a${nth}`))
    expect(activity.recent).toHaveLength(RECENT_ROWS)
    expect(activity.recent.at(-1)?.assetId).toBe('a1')
  })

  it('is passed on once somebody wants it, row by row', () => {
    const { activity } = newActivity()
    const shared: string[] = []
    activity.addRow(row('before'))
    activity.shareRows(({ assetId }) => void shared.push(assetId))
    activity.addRow(row('a'))
    activity.addRow(row('b'))
    expect(shared).toEqual(['a', 'b'])
  })
})

describe('the event stream', () => {
  const trouble = (retryInMs?: number): ServiceEvent =>
    ({
      kind: 'trouble',
      reason: 'stream-silent',
      message: '',
      ...(retryInMs === undefined ? {} : { retryInMs }),
    }) as ServiceEvent
  const news = { kind: 'alive' } as unknown as ServiceEvent

  it('is not connected before it said anything', () => {
    expect(newActivity().activity.stream()).toEqual({ connected: false, lastByteAgeMs: null, reconnects: 0 })
  })

  it('is connected by any word of it, and ages until the next', () => {
    const { activity, clock } = newActivity()
    activity.streamEvent(news)
    clock.tick(1500)
    expect(activity.stream()).toEqual({ connected: true, lastByteAgeMs: 1500, reconnects: 0 })
    activity.streamEvent(news)
    expect(activity.stream().lastByteAgeMs).toBe(0)
  })

  it('that is lost counts once, with its reason, until it is back', () => {
    const { activity } = newActivity()
    activity.streamEvent(news)
    activity.streamEvent(trouble(100))
    activity.streamEvent(trouble(200))
    expect(activity.stream()).toMatchObject({ connected: false, reconnects: 1 })
    expect(activity.streamLost).toBe('stream-silent')
    activity.streamEvent(news)
    activity.streamEvent(trouble(100))
    expect(activity.stream().reconnects).toBe(2)
  })

  it('with a malformed event goes on', () => {
    const { activity } = newActivity()
    activity.streamEvent(news)
    activity.streamEvent(trouble())
    expect(activity.stream()).toMatchObject({ connected: true, reconnects: 0 })
    expect(activity.streamLost).toBe('stream-ended')
  })
})

function comparison(change: Partial<ShadowComparison> = {}): ShadowComparison {
  const detection = storableDetection({ risk: asRisk(0.4) })
  return {
    asset: openAsset(),
    measurement: { detector: { id: 'old', version: '1' }, detection, totalMs: 3 },
    submitted: storableDetection({ detectorId: 'new', detectorVersion: '2', risk: asRisk(0.9) }),
    agrees: true,
    wouldChange: false,
    ...change,
  } as unknown as ShadowComparison
}

const refusal = (reason: string) =>
  ({ detector: { id: 'old', version: '1' }, reason, totalMs: 3 }) as unknown as ShadowComparison['measurement']

describe('shadows', () => {
  it('are counted by what they would have done', () => {
    const { activity } = newActivity()
    activity.shadowed(comparison())
    activity.shadowed(comparison({ agrees: false, wouldChange: true }))
    activity.shadowed(comparison({ agrees: null, measurement: refusal('detector-timeout') }))
    activity.shadowDropped()
    expect(activity.shadows()).toEqual({
      rows: [{ name: 'old@1', measured: 2, agreed: 1, wouldChange: 1, failed: 1 }],
      dropped: 1,
    })
  })
})

describe('the book of candidates', () => {
  function newBook() {
    const metrics = createMetrics({ clock: new ManualClock(), processMetrics: false })
    const book = new CanaryBook()
    const lines = async () => (await metrics.text()).split('\n').filter((line) => line.startsWith('attestd_canary'))
    return { book, metrics, lines }
  }

  it('compares scores of the same files, candidate less those in charge, in percent', () => {
    const { book, metrics } = newBook()
    const submitted = storableDetection({ detectorId: 'new', detectorVersion: '2', risk: asRisk(0.1) })
    book.compared(comparison(), metrics)
    book.compared(comparison(), metrics)
    book.compared(comparison({ agrees: false, submitted }), metrics)
    expect(book.rows).toEqual([
      {
        candidate: 'new@2',
        mediaType: 'image',
        inCharge: 'old@1',
        compared: 3,
        agreed: 2,
        failed: 0,
        differences: 50 + 50 - 30,
        candidateAbstained: 0,
        inChargeAbstained: 0,
        candidateMs: 9,
        inChargeMs: 9,
      },
    ])
  })

  it.each([
    ['an abstention of those in charge', refusal('media-too-small'), { failed: 0, inChargeAbstained: 1 }],
    ['a failure of those in charge', refusal('detector-timeout'), { failed: 1, inChargeAbstained: 0 }],
  ])('counts %s beside the comparisons', (_, measurement, counted) => {
    const { book, metrics } = newBook()
    book.compared(comparison({ measurement, agrees: null }), metrics)
    expect(book.rows).toMatchObject([{ compared: 0, differences: 0, ...counted }])
  })

  it('counts who was unsure, whoever it was', () => {
    const { book, metrics } = newBook()
    const unsure = { unsure: true, unsureBecause: 'band' } as const
    book.compared(
      comparison({ submitted: storableDetection({ detectorId: 'new', detectorVersion: '2', ...unsure }) }),
      metrics,
    )
    const detection = storableDetection(unsure)
    const measurement = { detector: { id: 'old', version: '1' }, detection, totalMs: 3 } as never
    book.compared(comparison({ measurement }), metrics)
    expect(book.rows).toMatchObject([{ compared: 2, candidateAbstained: 1, inChargeAbstained: 1, failed: 0 }])
  })

  it('has a line for each medium, and counts refusals of candidates alone', () => {
    const { book, metrics } = newBook()
    const refused = (canary?: number) =>
      book.refused(
        { asset: openAsset({ mediaType: 'audio' }), detector: { id: 'new', version: '2', canary } } as never,
        metrics,
      )
    refused()
    expect(book.rows).toEqual([])
    refused(10)
    book.compared(comparison(), metrics)
    expect(
      book.rows.map(({ candidateAbstained, mediaType, inCharge }) => [mediaType, candidateAbstained, inCharge]),
    ).toEqual([
      ['audio', 1, null],
      ['image', 0, 'old@1'],
    ])
  })

  it('says the same as metrics', async () => {
    const { book, lines, metrics } = newBook()
    const unsure = { detectorId: 'new', detectorVersion: '2', unsure: true, unsureBecause: 'band' } as const
    book.compared(comparison(), metrics)
    book.compared(comparison({ submitted: storableDetection({ ...unsure, risk: asRisk(0.5) }) }), metrics)
    book.compared(comparison({ agrees: null, measurement: refusal('media-too-small') }), metrics)
    book.compared(comparison({ agrees: null, measurement: refusal('detector-timeout') }), metrics)
    const text = (await lines()).join('\n')
    for (const [outcome, count] of Object.entries({ agrees: 2, abstained: 1, failed: 1 }))
      expect(text).toMatch(new RegExp(`detector="new",media_type="image",outcome="${outcome}"\\} ${count}$`, 'm'))
    expect(text).toMatch(/difference\w*\{detector="new",media_type="image"\} 30$/m)
    for (const by of ['candidate', 'in-charge']) {
      expect(text).toMatch(new RegExp(`abstained_total\\{.*by="${by}"\\} 1$`, 'm'))
      expect(text).toMatch(new RegExp(`seconds_sum\\{.*by="${by}"\\} 0.006$`, 'm'))
    }
  })

  it('hands out rows that nobody can change', () => {
    const { book, metrics } = newBook()
    book.compared(comparison(), metrics)
    const [before] = book.rows
    const kept = { ...before }
    book.compared(comparison(), metrics)
    expect(before).toEqual(kept)
  })
})
