import { describe, expect, it } from 'vitest'
import { Comparisons } from '../../../src/app/daemon/comparisons.js'
import { asRisk } from '../../../src/core/risk.js'
import { daemonCard } from '../../../src/fleet/daemon-card.js'
import type { Comparison } from '../../../src/pipeline/pipeline-events.js'
import { metricLines, newMetrics } from '../../support/metric-lines.js'
import { openAsset, storableDetection } from '../../support/pipeline-parts.js'

function comparison(change: Partial<Comparison> = {}): Comparison {
  return {
    asset: openAsset(),
    measurement: inCharge({ detection: storableDetection({ risk: asRisk(0.4) }) }),
    submitted: storableDetection({ detectorId: 'new', detectorVersion: '2', risk: asRisk(0.9) }),
    agrees: true,
    wouldChange: false,
    ...change,
  } as unknown as Comparison
}

/** What the detectors in charge made of the file. */
const inCharge = (outcome: object) =>
  ({
    detector: { id: 'old', version: '1' },
    besideCandidate: 'new',
    totalMs: 3,
    ...outcome,
  }) as Comparison['measurement']
const refusal = (reason: string) => inCharge({ reason })

function newBook() {
  const metrics = newMetrics()
  const book = new Comparisons()
  const lines = async (of: RegExp) => (await metricLines(metrics, of)).join('\n')
  return { book, metrics, lines }
}

const shadow = (change: Partial<Comparison> = {}) => {
  const { measurement, ...others } = comparison(change)
  return { ...others, measurement: { ...measurement, besideCandidate: undefined } } as unknown as Comparison
}

it('shadows are counted by what they would have done', async () => {
  const { book, lines, metrics } = newBook()
  book.compared(shadow(), metrics)
  book.compared(shadow({ agrees: false, wouldChange: true }), metrics)
  const failed = { agrees: null, wouldChange: null, measurement: refusal('detector-timeout') }
  book.compared(shadow(failed), metrics)
  book.dropped += 1
  expect(book.shadows).toEqual({
    rows: [{ name: 'old@1', measured: 2, agreed: 1, wouldChange: 1, failed: 1 }],
    dropped: 1,
  })
  expect(book.canaries).toEqual([])
  const text = await lines(/^attestd_shadow/)
  for (const outcome of ['agrees', 'disagrees', 'detector-timeout'])
    expect(text).toMatch(new RegExp(`results_total\\{detector="old",outcome="${outcome}"\\} 1$`, 'm'))
  expect(text).toMatch(/would_change_total\{detector="old"\} 1$/m)
  expect(text).toMatch(/difference_percent_sum\{detector="old"\} 100$/m)
  expect(text).toMatch(/seconds_count\{detector="old"\} 3$/m)
})

describe('comparisons of canaries', () => {
  it('compare scores of the same files, canary minus active detectors, in percent', () => {
    const { book, metrics } = newBook()
    const submitted = storableDetection({ detectorId: 'new', detectorVersion: '2', risk: asRisk(0.1) })
    book.compared(comparison(), metrics)
    book.compared(comparison(), metrics)
    book.compared(comparison({ agrees: false, submitted }), metrics)
    expect(book.canaries).toEqual([
      {
        candidate: 'new@2',
        mediaType: 'image',
        inCharge: 'old@1',
        files: 3,
        compared: 3,
        agreed: 2,
        wouldChange: 0,
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
  ])('count %s in addition to the comparisons', (_, measurement, counted) => {
    const { book, metrics } = newBook()
    book.compared(comparison({ measurement, agrees: null }), metrics)
    expect(book.canaries).toMatchObject([{ compared: 0, differences: 0, ...counted }])
  })

  it('count abstentions of either side', () => {
    const { book, metrics } = newBook()
    const unsure = { unsure: true, unsureBecause: 'band' } as const
    book.compared(
      comparison({ submitted: storableDetection({ detectorId: 'new', detectorVersion: '2', ...unsure }) }),
      metrics,
    )
    book.compared(comparison({ measurement: inCharge({ detection: storableDetection(unsure) }) }), metrics)
    expect(book.canaries).toMatchObject([{ compared: 2, candidateAbstained: 1, inChargeAbstained: 1, failed: 0 }])
  })

  it('have a row for each kind of media, and count rejections of canaries alone', () => {
    const { book, metrics } = newBook()
    const refused = (canary?: number) =>
      book.refused(
        { asset: openAsset({ mediaType: 'audio' }), detector: { id: 'new', version: '2', canary } } as never,
        metrics,
      )
    refused()
    expect(book.canaries).toEqual([])
    refused(10)
    book.compared(comparison(), metrics)
    expect(
      book.canaries.map(({ candidateAbstained, mediaType, inCharge }) => [mediaType, candidateAbstained, inCharge]),
    ).toEqual([
      ['audio', 1, null],
      ['image', 0, 'old@1'],
    ])
  })

  it('keep as many rows as an announcement may have, of the newest canaries', () => {
    const { book, metrics } = newBook()
    const releases = Array.from({ length: 60 }, (_, release) => String(release))
    for (const detectorVersion of releases)
      book.compared(comparison({ submitted: storableDetection({ detectorId: 'new', detectorVersion }) }), metrics)
    expect(book.canaries.map(({ candidate }) => candidate)).toEqual(releases.slice(10).map((each) => `new@${each}`))
    expect(daemonCard.shape.canaries.safeParse(book.canaries).success).toBe(true)
  })

  it('report the same figures as the metrics', async () => {
    const { book, lines, metrics } = newBook()
    const unsure = { detectorId: 'new', detectorVersion: '2', unsure: true, unsureBecause: 'band' } as const
    book.compared(comparison(), metrics)
    book.compared(comparison({ submitted: storableDetection({ ...unsure, risk: asRisk(0.5) }) }), metrics)
    book.compared(comparison({ agrees: null, measurement: refusal('media-too-small') }), metrics)
    book.compared(comparison({ agrees: null, measurement: refusal('detector-timeout') }), metrics)
    const text = await lines(/^attestd_canary/)
    for (const [outcome, count] of Object.entries({ agrees: 2, abstained: 1, failed: 1 }))
      expect(text).toMatch(new RegExp(`detector="new",media_type="image",outcome="${outcome}"\\} ${count}$`, 'm'))
    expect(text).toMatch(/difference\w*\{detector="new",media_type="image"\} 30$/m)
    for (const by of ['candidate', 'in-charge']) {
      expect(text).toMatch(new RegExp(`abstained_total\\{.*by="${by}"\\} 1$`, 'm'))
      expect(text).toMatch(new RegExp(`seconds_sum\\{.*by="${by}"\\} 0.006$`, 'm'))
    }
  })

  it('return rows that the caller cannot change', () => {
    const { book, metrics } = newBook()
    book.compared(comparison(), metrics)
    const [before] = book.canaries
    const kept = { ...before }
    book.compared(comparison(), metrics)
    expect(before).toEqual(kept)
  })
})
