import { describe, expect, it } from 'vitest'
import { fixtureDrift, fixtureFigures } from '../../.ci/fixture-figures.mjs'
import { refusedRow, scoredRow } from '../support/scored-rows.js'
import { tinyLoaded } from '../support/tiny-loaded.js'

const tiny = tinyLoaded()
type Figure = ReturnType<typeof fixtureFigures>['rows'][number]

describe('the figures of sample media', () => {
  const rows = () => [
    scoredRow(0.123456, false, { id: 'b' }),
    scoredRow(0.9, true, { id: 'a' }),
    refusedRow('c', true, { reason: 'language-unsupported' }),
  ]

  it('are in the order of their ids, with four decimals', () => {
    const found = fixtureFigures(tiny(), rows())
    expect(found).toMatchObject({
      auc: 1,
      detector: { id: 'tiny-image', digest: tiny().digest },
      rows: [
        { id: 'a', made: 'fake', risk: 0.9, reason: null },
        { id: 'b', made: 'real', risk: 0.1235, reason: null },
        { id: 'c', made: 'fake', risk: null, reason: 'language-unsupported' },
      ],
    })
  })

  it('match while risks move by no more than the tolerance, and not where a rejection appears, disappears or changes', () => {
    const kept = fixtureFigures(tiny(), rows())
    const [a, b, c] = kept.rows as [Figure, Figure, Figure]
    const drift = (...now: Figure[]) => fixtureDrift(kept, { ...kept, rows: now }, 0.02)
    expect(drift({ ...a, risk: 0.885 }, b, c)).toEqual([])
    expect(drift({ ...a, risk: 0.879 }, b, c)).toEqual(['tiny-image: a was 0.9, is 0.879'])
    expect(fixtureDrift(kept, { ...kept, rows: [{ ...a, risk: 0.879 }, b, c] }, 0.03)).toEqual([])
    expect(drift(a, { ...b, risk: null, reason: 'detector-timeout' }, c)).toEqual([
      'tiny-image: b was 0.1235, is detector-timeout',
    ])
    expect(drift(a, b, { ...c, risk: 0.01, reason: null })).toEqual(['tiny-image: c was language-unsupported, is 0.01'])
    expect(drift(a, b, { ...c, reason: 'media-type-mismatch' })).toHaveLength(1)
    expect(drift(a, b, c, { ...c, id: 'd' })).toEqual(['tiny-image: d was undefined, is language-unsupported'])
  })
})
