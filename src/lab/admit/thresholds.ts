import { parse } from 'yaml'
import { z } from 'zod'
import { AttestdError, errorText } from '../../core/errors.js'

const share = z.number().min(0).max(1)

/** Thresholds that can only be judged on labeled data. */
const dataThresholds = z.strictObject({
  /** Of all rows with a risk, the decision band left out of account. */
  minAuc: share.optional(),
  minTprAt5: share.optional(),
  minTprAt1: share.optional(),
  /** Share of real rows with a risk of 0.5 or more. */
  maxFpr: share.optional(),
  /** Expected calibration error. */
  maxEce: share.optional(),
  /** Share of the rows without a verdict: unsure, refused or failed. */
  maxAbstainRate: share.optional(),
  /** Rows of each class that the figures must come from. */
  minRows: z.int().min(1).optional(),
})

/** What a package must reach; what is not stated is not asked. */
export const thresholdsSchema = dataThresholds.extend({
  /** Median time for the package's own sample, ms. */
  maxLatencyMs: z.number().positive().optional(),
  /** Resident memory of a process with this package alone, MiB. */
  maxMemoryMb: z.number().positive().optional(),
  /** License texts that are allowed, each as a manifest states it in full; case does not matter. */
  licenses: z.array(z.string().min(1)).min(1).optional(),
})

export type Thresholds = z.infer<typeof thresholdsSchema>

/** Whether any threshold can only be judged on labeled data. */
export const needsData = (thresholds: Thresholds): boolean =>
  dataThresholds.keyof().options.some((name) => thresholds[name] !== undefined)

/**
 * Thresholds of a YAML file; those given in addition override its own.
 * @param text null where there is no file
 * @throws AttestdError setting-invalid (not of the shape, or nothing is asked)
 */
export function parseThresholds(text: string | null, own: Thresholds, where: string): Thresholds {
  let fromFile: unknown = {}
  try {
    fromFile = text === null ? {} : parse(text)
  } catch (cause) {
    throw new AttestdError('setting-invalid', `${where} is not YAML: ${errorText(cause)}`, { cause })
  }
  const parsed = thresholdsSchema.safeParse(fromFile ?? {})
  if (!parsed.success) {
    const lines = parsed.error.issues.map(({ path, message }) => `  ${path.join('.') || '(top level)'}: ${message}`)
    throw new AttestdError('setting-invalid', `${where} is not accepted:\n${lines.join('\n')}`)
  }
  const thresholds = { ...parsed.data, ...own }
  if (Object.keys(thresholds).length > 0) return thresholds
  throw new AttestdError('setting-invalid', 'No threshold is stated, so there is nothing to pass.')
}
