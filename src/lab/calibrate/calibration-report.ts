import { z } from 'zod'
import { asRisk } from '../../core/risk.js'
import type { Detection } from '../../detect/detection.js'
import type { Calibration } from '../../detect/package/calibration-schema.js'
import { calibrationSchema, EVEN_ODDS } from '../../detect/package/calibration-schema.js'
import { calibrate, isUnsure } from '../../detect/scoring/calibration.js'
import type { DataRow } from '../data/data-row.js'
import { statedIn } from '../data/row-fields.js'
import { verdictsSchema } from '../evaluate/evaluation.js'
import { figures, verdictMetrics } from '../evaluate/row-metrics.js'
import { weightedToPrior } from '../metrics/class-weights.js'
import { type LabeledScore, rankScores } from '../metrics/ranked-scores.js'
import { brierScore, expectedCalibrationError, logLoss, reliabilityBins } from '../metrics/reliability.js'
import { seededRandom } from '../metrics/seeded-random.js'
import { type VerdictRow, verdictOf } from '../metrics/verdict-figures.js'
import type { CalibrationRow } from './calibration-row.js'
import { fitCalibration, METHODS, type Method, MIN_CLASS_ROWS, requireClasses } from './fit-calibration.js'
import { FOLDS, foldsByGroup } from './folds.js'
import { type SuggestedBand, suggestBand } from './suggest-band.js'

const number = z.number().nullable()
/** A decision band with what its verdicts are worth. */
const judgedBand = verdictsSchema.extend({ low: z.number(), high: z.number() })
const reliability = z.strictObject({
  ece: number,
  brier: number,
  logLoss: number,
  bins: z.array(z.strictObject({ rows: z.number(), meanRisk: number, fakeShare: number })),
})

/** What `models calibrate` finds; kept in the package's evaluation/calibration.json where it was written. */
export const calibrationReportSchema = z.strictObject({
  schema: z.literal(1),
  madeAt: z.string(),
  command: z.string(),
  detector: z.strictObject({ id: z.string(), version: z.string(), digest: z.string() }),
  /** `unscored`: rows that are left out of the others and of every figure. */
  data: z.strictObject({
    from: z.string(),
    digest: z.string(),
    real: z.number(),
    fake: z.number(),
    unscored: z.number().optional(),
  }),
  method: z.enum(METHODS),
  /** Share of fakes that the rows were weighted to, the same for all packages. */
  prior: z.literal(EVEN_ODDS),
  /** What the fit that judges a row never saw: rows of its fold, or whole sources. */
  heldOut: z.enum(['rows', 'source']),
  calibration: calibrationSchema,
  before: reliability,
  /** Of held-out rows. */
  after: reliability,
  /** Share of verdicts that must be right; on each side 0.05 less will do. */
  accuracy: z.number(),
  bandBefore: judgedBand,
  /** Each half of the sources judged by the band that the other half suggests; the band itself is that of all rows. */
  bandAfter: judgedBand,
})

export type CalibrationReport = z.infer<typeof calibrationReportSchema>

/** A row with what the detector measured of it; null where that is nothing. */
export interface CalibratedRow {
  readonly row: Pick<DataRow, 'id' | 'fake' | 'columns'>
  readonly detection: Pick<Detection, 'rawScore' | 'length'> | null
}

export interface CalibrateOptions {
  readonly method: Method
  /** Share of verdicts that must be right. */
  readonly accuracy: number
  readonly present: Calibration
  readonly presentBand: { readonly low: number; readonly high: number }
}

type Findings = Omit<CalibrationReport, 'schema' | 'madeAt' | 'command' | 'detector' | 'data'>

/** Fits a calibration and judges it on rows that the fit did not see. @throws AttestdError lab-data-invalid */
export function calibrateRows(scored: readonly CalibratedRow[], options: CalibrateOptions): Findings {
  const { method, present, presentBand, accuracy } = options
  const usable = scored.filter(({ detection }) => detection !== null)
  const rows = usable.map(calibrationRow)
  const fitTo = (some: readonly CalibrationRow[]) => fitCalibration(some, method, EVEN_ODDS, present)
  const { folds, heldOut } = foldsOf(usable)
  const judged = weightedToPrior(rows, EVEN_ODDS)
  const before = judged.map((row) => withRisk(row, present))
  const after = crossFitted(judged, folds, fitTo)
  const worth = (risks: readonly LabeledScore[], bandOf: (index: number) => SuggestedBand) => {
    const called = risks.map(({ score, fake }, index): VerdictRow => {
      const unsure = isUnsure(asRisk(score), bandOf(index))
      return { fake, called: verdictOf(score, unsure), source: sourceOf(usable[index] as CalibratedRow) }
    })
    return verdictMetrics(called, seededRandom(1))
  }
  const bands = crossed(after, folds, accuracy)
  return {
    method,
    prior: EVEN_ODDS,
    heldOut,
    calibration: { ...fitTo(rows), prior: EVEN_ODDS },
    before: reliabilityOf(before),
    after: reliabilityOf(after),
    accuracy,
    bandBefore: { ...presentBand, ...worth(before, () => presentBand) },
    bandAfter: { ...suggestBand(after, accuracy), ...worth(after, (index) => bands[index] as SuggestedBand) },
  }
}

/** The risk of each row by a fit of the rows of the other folds. */
function crossFitted(
  rows: readonly CalibrationRow[],
  folds: readonly number[],
  fitTo: (rows: readonly CalibrationRow[]) => Calibration,
): LabeledScore[] {
  const risks: LabeledScore[] = []
  for (const fold of new Set(folds)) {
    const calibration = fitTo(rows.filter((_, index) => folds[index] !== fold))
    for (const [index, row] of rows.entries()) if (folds[index] === fold) risks[index] = withRisk(row, calibration)
  }
  return risks
}

/** Refuses rows that no fit can be made of and judged, before they are scored. @throws AttestdError lab-data-invalid */
export function requireFits(rows: readonly DataRow[]): void {
  requireClasses(rows, '')
  const { folds } = foldsOf(rows.map((row) => ({ row })))
  for (const fold of new Set(folds)) {
    const left = rows.filter((_, index) => folds[index] !== fold)
    requireClasses(
      left,
      ` in one of the ${FOLDS} fits that judge the calibration, each on ${FOLDS - 1} of ${FOLDS} rows`,
    )
  }
}

/** Folds of whole sources, where enough of them hold each class that every fit still has both; else of single rows. */
function foldsOf(scored: readonly Pick<CalibratedRow, 'row'>[]): { folds: number[]; heldOut: 'rows' | 'source' } {
  const folds = foldsByGroup(scored.map(sourceOf))
  const enough = Array.from({ length: FOLDS }, (_, fold) => fold).every((fold) =>
    [true, false].every((fake) => {
      const left = scored.filter(({ row }, index) => row.fake === fake && folds[index] !== fold)
      return left.length >= MIN_CLASS_ROWS
    }),
  )
  if (enough && scored.every(({ row }) => statedIn(row, 'source') !== null)) return { folds, heldOut: 'source' }
  return { folds: foldsByGroup(scored.map(({ row }) => row.id)), heldOut: 'rows' }
}

/** A row that states no source stands for itself. */
const sourceOf = ({ row }: Pick<CalibratedRow, 'row'>): string => statedIn(row, 'source') ?? row.id

function calibrationRow({ row, detection }: CalibratedRow): CalibrationRow {
  return {
    logit: detection?.rawScore ?? 0,
    fake: row.fake,
    length: detection?.length ?? Number.POSITIVE_INFINITY,
    weight: 1,
  }
}

function withRisk({ logit, fake, length, weight }: CalibrationRow, calibration: Calibration): LabeledScore {
  return { score: calibrate(logit, calibration, length), fake, weight }
}

function reliabilityOf(rows: readonly LabeledScore[]): CalibrationReport['before'] {
  const ranked = rankScores(rows)
  return {
    ...figures({ ece: expectedCalibrationError(ranked), brier: brierScore(ranked), logLoss: logLoss(ranked) }),
    bins: reliabilityBins(ranked).map(({ rows: weight, meanRisk, fakeShare }) => ({
      rows: Number(weight.toFixed(3)),
      ...figures({ meanRisk, fakeShare }),
    })),
  }
}

/** For each row the band that the other half of the folds suggests. */
function crossed(rows: readonly LabeledScore[], folds: readonly number[], accuracy: number): SuggestedBand[] {
  const bands = [1, 0].map((other) =>
    suggestBand(
      rows.filter((_, index) => (folds[index] as number) % 2 === other),
      accuracy,
    ),
  )
  return folds.map((fold) => bands[fold % 2] as SuggestedBand)
}
