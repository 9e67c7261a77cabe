import { percentOf } from '../../core/risk.js'
import { type ConsoleState, SHOWN_ROWS } from './console-state.js'

/** The daemon's state as `/status` states it: the risks of the last assets are percentages there. */
export function statusDocument(state: ConsoleState) {
  const recent = state.recent
    .slice(0, SHOWN_ROWS)
    .map((row) => ({ ...row, risk: row.risk === null ? null : percentOf(row.risk) }))
  return { ...state, recent }
}
