import { z } from 'zod'
import { percentOf, riskOfPercent, riskPercentSchema, riskSchema } from '../core/risk.js'

/**
 * The risk of a job, a job's result or a ledger line: a percentage from 0 to 100 where it is stored, as every release
 * has written it, and a probability here.
 */
export const storedRisk = z.codec(riskPercentSchema, riskSchema, { decode: riskOfPercent, encode: percentOf })
