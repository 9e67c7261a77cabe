import { riskOfPercent } from '../../../src/core/risk.js'
import type { HistoryPoint } from '../../../src/fleet/history.js'

/** Of which nothing is known. */
export const EMPTY: HistoryPoint = {
  at: 0,
  perSecond: null,
  waiting: null,
  openToRecordMs: null,
  abstained: null,
  risks: {},
}

/** Of which all is known. */
export const FULL: HistoryPoint = {
  at: 10_000,
  perSecond: { analyze: 1.2345, submit: 0 },
  waiting: { analyze: 12, submit: 3 },
  openToRecordMs: { median: 4256, longest: 61_000 },
  abstained: 0.125,
  risks: { 'image@1': riskOfPercent(40.126) },
}
