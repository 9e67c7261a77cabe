import { z } from 'zod'
import type { DetectorPackage } from '../../detect/package/package-loader.js'
import { rankScores } from '../metrics/ranked-scores.js'
import { areaUnderRoc } from '../metrics/roc.js'
import { labeledScores } from './groups.js'
import { figure } from './row-metrics.js'
import { dataDigest } from './score-rows.js'
import type { ScoredRow } from './scored-row.js'

const row = z.strictObject({
  id: z.string(),
  made: z.enum(['real', 'fake']),
  /** Four decimals; null where there is none. */
  risk: z.number().nullable(),
  /** Why there is none. */
  reason: z.string().nullable(),
})

/** What a package gives the sample media that come with attestd: evaluation/fixture.json. */
export const fixtureSchema = z.strictObject({
  schema: z.literal(1),
  detector: z.strictObject({ id: z.string(), version: z.string(), digest: z.string() }),
  /** sha256 over the label, id and bytes of every row. */
  data: z.string(),
  /** A handful of samples is no benchmark; these state that the runtime does what it did. */
  auc: z.number().nullable(),
  rows: z.array(row),
})

export type FixtureFigures = z.infer<typeof fixtureSchema>

/** The figures of scored sample media, in the order of their ids. */
export function fixtureFigures({ manifest, digest }: DetectorPackage, scored: readonly ScoredRow[]): FixtureFigures {
  const rows = scored.map(({ row: { id, fake }, detection, unscored }): FixtureFigures['rows'][number] => ({
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
 * What differs between the figures that are kept and those of now, a line each.
 * @param tolerance by which risks may differ on another processor, 0 to 1: that of the package's self-test
 */
export function fixtureDrift(kept: FixtureFigures, now: FixtureFigures, tolerance: number): string[] {
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
