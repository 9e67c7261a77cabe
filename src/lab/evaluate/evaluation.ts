import { z } from 'zod'
import { MEDIA_TYPES } from '../../core/media-types.js'

/** Null where the rows cannot give it, such as an AUC of one class alone. */
const figure = z.number().nullable()
const interval = z.strictObject({ low: z.number(), high: z.number() }).nullable()
const withInterval = z.strictObject({ value: figure, interval })
const count = z.int().min(0)
const share = figure
const counts = z.record(z.string(), count)

/** The figures of a set of rows, with 95 % intervals: bootstrap where nothing else is stated. */
const metrics = z.strictObject({
  rows: count,
  real: count,
  fake: count,
  auc: withInterval,
  /** True positive rate at 5 % and 1 % false positive rate. */
  tprAt5: withInterval,
  tprAt1: withInterval,
  eer: withInterval,
  averagePrecision: withInterval,
  brier: withInterval,
  logLoss: withInterval,
  /** Expected calibration error, ten bins. */
  ece: withInterval,
  accuracy: withInterval,
  /** At a risk of 0.5. */
  f1: withInterval,
  /** Matthews' correlation coefficient, at a risk of 0.5. */
  mcc: withInterval,
  /** Share of real rows with a risk of 0.5 or more, and of fake ones; Wilson's interval. */
  realFlagged: withInterval,
  fakeFlagged: withInterval,
})

const group = z.strictObject({
  value: z.string(),
  real: count,
  fake: count,
  /** `all-real` or `all-fake`: the group has one class only and is set against all rows of the other one. */
  against: z.enum(['own', 'all-real', 'all-fake']),
  auc: withInterval,
  tprAt5: withInterval,
  tprAt1: withInterval,
  meanRisk: figure,
  /** Share with a risk of 0.5 or more. */
  realFlagged: share,
  fakeFlagged: share,
  /** Wilson's. */
  realFlaggedInterval: interval,
  fakeFlaggedInterval: interval,
  unsure: share,
  /** Rows of the group without a risk. */
  refused: count,
})

const mistake = z.strictObject({
  id: z.string(),
  fake: z.boolean(),
  risk: z.number(),
  unsureBecause: z.enum(['band', 'flip']).nullable(),
  note: z.string(),
  columns: z.record(z.string(), z.string()),
})

/** What verdicts are worth at even odds, of the rows with a risk. */
export const verdictsSchema = z.strictObject({
  decided: figure,
  right: figure,
  rightWhenFake: figure,
  rightWhenReal: figure,
  /** Lower end of the 95 % interval of `right`, by drawing whole sources. */
  rightAtLeast: figure,
})

/** What `models eval` writes as eval.json. */
export const evaluationSchema = z.strictObject({
  schema: z.literal(1),
  /** ISO time. */
  madeAt: z.string(),
  command: z.string(),
  attestd: z.string(),
  node: z.string(),
  platform: z.string(),
  detector: z.strictObject({
    id: z.string(),
    version: z.string(),
    title: z.string(),
    digest: z.string(),
    mediaTypes: z.array(z.enum(MEDIA_TYPES)),
    license: z.string(),
    calibration: z.string(),
    decisionBand: z.strictObject({ low: z.number(), high: z.number() }),
    files: z.record(z.string(), z.strictObject({ sha256: z.string(), bytes: z.number() })),
  }),
  data: z.strictObject({
    from: z.string(),
    /** sha256 over the label, id and bytes of every row. */
    digest: z.string(),
    rows: count,
    real: count,
    fake: count,
    limit: count.nullable(),
    /** Share of fakes that the rows were weighted to; null: that of the rows. */
    prior: z.number().nullable(),
    /** Rows of media that the package does not score. */
    otherMedia: count,
    /** Rows whose bytes another row has too, with ids of such rows, and how many files are of both classes; absent where there are none. */
    duplicates: z
      .strictObject({ rows: count, contradictory: count.optional(), examples: z.array(z.array(z.string())) })
      .optional(),
  }),
  outcomes: z.strictObject({
    scored: count,
    /** Inside the decision band, or flipped by another reading of the file: the default policy abstains. */
    unsure: z.strictObject({ band: count, flip: count }),
    abstained: counts,
    failed: counts,
  }),
  verdicts: verdictsSchema,
  /** Of all rows with a risk, the decision band left out of account. */
  all: metrics,
  /** Of the rows that the detector is sure of. */
  sure: metrics,
  roc: z.array(z.strictObject({ fpr: z.number(), tpr: z.number() })),
  precisionRecall: z.array(z.strictObject({ recall: z.number(), precision: z.number() })),
  reliability: z.array(
    z.strictObject({ from: z.number(), to: z.number(), rows: z.number(), meanRisk: figure, fakeShare: figure }),
  ),
  /** Rows by risk, twenty bins of equal width. */
  histogram: z.strictObject({ real: z.array(count), fake: z.array(count) }),
  thresholds: z.array(
    z.strictObject({
      threshold: z.number(),
      tpr: figure,
      fpr: figure,
      precision: figure,
      accuracy: figure,
      abstainRate: figure,
      accuracyOutside: figure,
    }),
  ),
  groups: z.record(z.string(), z.array(group)),
  /** Highest risks of real rows and lowest of fake ones, worst first. */
  mistakes: z.strictObject({ real: z.array(mistake), fake: z.array(mistake) }),
  /** Of one file in a detector process, ms. */
  milliseconds: z.strictObject({ medianDecode: figure, medianInfer: figure, p95: figure }),
})

export type Evaluation = z.infer<typeof evaluationSchema>
export type EvaluationMetrics = z.infer<typeof metrics>
export type EvaluationGroup = z.infer<typeof group>
export type Mistake = z.infer<typeof mistake>
export type FigureWithInterval = z.infer<typeof withInterval>
