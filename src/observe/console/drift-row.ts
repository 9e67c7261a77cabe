import { type Html, html } from './html.js'

/** How far what a detector states has shifted, as population stability indices; both null where that is not known yet. */
export interface DriftRow {
  readonly detector: string
  /** Its package's evaluation, or its own first verdicts; null while those are not enough. */
  readonly reference: 'evaluation' | 'own' | null
  /** Files that are compared, or that wait to become the reference. */
  readonly files: number
  /** Of those, how many there must be before drift is known. */
  readonly needed: number
  /** Of its risks. */
  readonly risk: number | null
  /** Of how often it abstains. */
  readonly abstention: number | null
}

/** From here on it is a large shift; the alert AttestdDrift has the same limit. */
const LARGE = 0.25
const REFERENCES = { evaluation: 'its evaluation', own: 'its first verdicts here' } as const

/** A line for each detector. */
export function driftLines(rows: readonly DriftRow[]): Html {
  return html`${rows.map(driftLine)}`
}

function driftLine({ abstention, detector, files, needed, reference, risk }: DriftRow): Html {
  if (risk === null || abstention === null) {
    return html`<p class="soft">Drift of ${detector}: needs ${needed} files (${files} so far).</p>`
  }
  const tone = Math.max(risk, abstention) > LARGE ? 'warn' : 'soft'
  const against = reference ? REFERENCES[reference] : 'nothing'
  return html`<p class="${tone}">Drift of ${detector}: risk ${risk.toFixed(2)}, abstention ${abstention.toFixed(2)}, last ${files} files against ${against}.</p>`
}
