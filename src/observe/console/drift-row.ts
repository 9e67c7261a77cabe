import type { DriftRow } from '../../fleet/daemon-state.js'
import { type Html, html } from './html.js'

/** From here on it is a large shift; the alert AttestdDrift has the same limit. */
const LARGE = 0.25
const REFERENCES = { evaluation: 'its evaluation', own: 'its first verdicts here' } as const

export const driftLines = (rows: readonly DriftRow[]): Html => html`${rows.map(driftLine)}`

function driftLine({ abstention, detector, files, needed, reference, risk }: DriftRow): Html {
  if (risk === null || abstention === null) {
    return html`<p class="soft">Drift of ${detector}: needs ${needed} files (${files} so far).</p>`
  }
  const tone = Math.max(risk, abstention) > LARGE ? 'warn' : 'soft'
  const against = reference ? REFERENCES[reference] : 'nothing'
  return html`<p class="${tone}">Drift of ${detector}: risk ${risk.toFixed(2)}, abstention ${abstention.toFixed(2)}, last ${files} files against ${against}.</p>`
}
