import { percentOf } from '../../core/risk.js'
import { type DaemonState, SHOWN_ROWS } from '../../fleet/daemon-state.js'

/** The daemon's state as `/status` states it: the risks of the last assets are percentages there. */
export function statusDocument(state: DaemonState) {
  const recent = state.recent
    .slice(0, SHOWN_ROWS)
    .map((row) => ({ ...row, risk: row.risk === null ? null : percentOf(row.risk) }))
  return { ...state, recent }
}
