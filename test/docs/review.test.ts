import { expect, it } from 'vitest'
import { SETTINGS } from '../../src/config/settings.js'
import { REASONS } from '../../src/core/reasons.js'
import { METRICS } from '../../src/observe/metrics/metric-table.js'
import { OPEN_AT_MOST_MS } from '../../src/pipeline/other-detector.js'
import { HUMAN_LABEL } from '../../src/pipeline/review.js'
import { read } from './pages.js'

const page = read('docs/review.md')

it('settings, reasons, label, deadline and metric in docs/review.md are right', () => {
  expect(SETTINGS.unsurePolicy.parse.parse('review')).toBe('review')
  for (const reason of ['review-decided', 'review-expired', 'asset-closed', 'score-conflict', 'setting-missing']) {
    expect(page).toContain(`\`${reason}\``)
    expect(Object.keys(REASONS)).toContain(reason)
  }
  expect(page).toContain(`\`${HUMAN_LABEL}DETECTOR@VERSION\``)
  expect(page).toContain(`otherwise ${OPEN_AT_MOST_MS / 3_600_000} hours`)
  expect(page).toContain(`\`${METRICS.reviewWaiting.name}\``)
  expect(page.split(/\s+/).length).toBeLessThanOrEqual(300)
})
