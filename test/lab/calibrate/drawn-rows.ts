import type { Calibration } from '../../../src/detect/package/calibration-schema.js'
import { sigmoid } from '../../../src/detect/scoring/calibration.js'
import type { CalibrationRow } from '../../../src/lab/calibrate/calibration-row.js'
import { seededRandom } from '../../../src/lab/metrics/seeded-random.js'

/** A row of any length that counts once. */
export const row = (logit: number, fake: boolean, more: Partial<CalibrationRow> = {}): CalibrationRow => ({
  logit,
  fake,
  length: Number.POSITIVE_INFINITY,
  weight: 1,
  ...more,
})

/** Rows whose logits are right: each is fake as often as its logit says. */
export function drawn(seed: number, count = 300): CalibrationRow[] {
  const random = seededRandom(seed)
  return Array.from({ length: count }, () => {
    const logit = 6 * random() - 3
    return row(logit, random() < sigmoid(logit), { length: 1 + Math.floor(1000 * random()) })
  })
}

/** A calibration with an edge at 500 characters. */
export const BY_LENGTH: Calibration = {
  kind: 'by-length',
  bins: [
    { upTo: 500, slope: 1, intercept: 0 },
    { slope: 1, intercept: 0 },
  ],
}
