// What a package gives the sample media that come with attestd, kept as evaluation/fixture.json: a handful of samples is no
// benchmark; these figures state that the runtime does what it did.
import { labeledScores } from '../dist/lab/evaluate/groups.js'
import { figure } from '../dist/lab/evaluate/row-metrics.js'
import { dataDigest } from '../dist/lab/evaluate/score-rows.js'
import { rankScores } from '../dist/lab/metrics/ranked-scores.js'
import { areaUnderRoc } from '../dist/lab/metrics/roc.js'

/** The figures of scored sample media, in the order of their ids; risks with four decimals, null where there is none. */
export function fixtureFigures({ manifest, digest }, scored) {
  const rows = scored.map(({ row: { id, fake }, detection, unscored }) => ({
    id,
    made: fake ? 'fake' : 'real',
    risk: detection ? Number(detection.risk.toFixed(4)) : null,
    reason: unscored?.reason ?? null,
  }))
  return {
    schema: 1,
    detector: { id: manifest.id, version: manifest.version, digest },
    data: dataDigest(scored),
    auc: figure(areaUnderRoc(rankScores(labeledScores(scored)))),
    rows: rows.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  }
}

/**
 * What differs between the figures that are kept and those of now, one line per difference.
 * @param tolerance by which risks may differ on another processor, 0 to 1: that of the package's self-test
 */
export function fixtureDrift(kept, now, tolerance) {
  const { id } = now.detector
  if (kept.detector.digest !== now.detector.digest) return [`${id}: made by another state of the package`]
  if (kept.data !== now.data) return [`${id}: made of other sample media`]
  return now.rows.flatMap((row, index) => {
    const before = kept.rows[index]
    const same =
      before?.id === row.id &&
      before.reason === row.reason &&
      Math.abs((before.risk ?? 0) - (row.risk ?? 0)) <= tolerance
    return same ? [] : [`${id}: ${row.id} was ${before?.risk ?? before?.reason}, is ${row.risk ?? row.reason}`]
  })
}
