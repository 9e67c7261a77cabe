import { percentOf } from '../../core/risk.js'
import type { ConsoleState } from './console-state.js'

/** The daemon's state as `/status` states it: the risks of the last assets are percentages there. */
export function statusDocument(state: ConsoleState) {
  const recent = state.recent.map((row) => ({ ...row, risk: row.risk === null ? null : percentOf(row.risk) }))
  return { ...state, recent }
}
