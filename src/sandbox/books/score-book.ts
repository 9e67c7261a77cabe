import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { OffchainAttestation } from '../../chain/eas/wire.js'

/** What becomes of a second score of the same attester for the same asset. */
export const DUPLICATE_SCORE_POLICIES = ['idempotent', 'reject', 'store'] as const
/** `idempotent`: the same risk succeeds, another conflicts; `reject`: any conflicts; `store`: each is a record more. */
export type DuplicateScorePolicy = (typeof DUPLICATE_SCORE_POLICIES)[number]

/** A score on record, as it is kept. Its id follows from asset, attester and the count of scores before. */
export const scoreRecordSchema = z.object({
  id: z.string().min(1),
  assetId: z.string().min(1),
  /** Lower case, and compared as text. */
  attesterAddress: z.string(),
  /** A percentage. */
  deepfakeRiskScore: z.number(),
  algorithm: z.string(),
  notes: z.string(),
  /** As the attester wrote it; absent where the API has no such field. */
  authenticityScore: z.number().exactOptional(),
  attestation: z.custom<OffchainAttestation>().exactOptional(),
  /** Unix milliseconds of service time. */
  createdAt: z.number(),
})
export type ScoreRecord = z.infer<typeof scoreRecordSchema>
/** A score of either API, past its gates. */
export type ScoreInput = Omit<ScoreRecord, 'id' | 'createdAt'>

/** All scores of an asset, as percentages; null where there are none. The names of the fields are our choice. */
export const aggregateSchema = z.looseObject({
  scoreCount: z.int(),
  meanRiskScore: z.number().nullable(),
  minRiskScore: z.number().nullable(),
  maxRiskScore: z.number().nullable(),
})
export type Aggregate = z.infer<typeof aggregateSchema>

/** How a POST of a score ended. `pending`: it is being handled, or its fault keeps it for ever. */
export type ScoreOutcome = 'pending' | 'stored' | 'same' | 'conflict' | 'not-open' | 'refused' | 'fault'

/** One authenticated, well-formed POST of a score, whatever became of it. */
export interface ScoreAttempt {
  /** Unix milliseconds of service time. */
  readonly at: number
  readonly assetId: string
  readonly attesterAddress: string
  /** Null on the wallet-session API. */
  readonly accessKey: string | null
  /** 1 for the first POST for this asset. */
  readonly attempt: number
  readonly deepfakeRiskScore: number
  /** The fault that was injected, by kind. */
  readonly fault: string | null
  outcome: ScoreOutcome
}

/** With `same` and `conflict` nothing was stored, and `score` is the attester's earlier one. */
export interface RecordResult {
  readonly outcome: 'stored' | 'same' | 'conflict'
  readonly score: ScoreRecord
}

export class ScoreBook {
  readonly #now: () => number
  readonly #policy: DuplicateScorePolicy
  readonly #touched: () => void
  readonly #byAsset = new Map<string, ScoreRecord[]>()
  #attempts: ScoreAttempt[] = []

  /** @param options touched: follows each change; kept: the scores of an earlier run */
  constructor(options: {
    now: () => number
    policy: DuplicateScorePolicy
    touched?: () => void
    kept?: readonly ScoreRecord[]
  }) {
    this.#now = options.now
    this.#policy = options.policy
    this.#touched = options.touched ?? (() => {})
    for (const score of options.kept ?? []) this.#add(score)
  }

  /** Whether the score would be stored now. */
  isNew({ assetId, attesterAddress }: ScoreInput): boolean {
    return this.#policy === 'store' || this.latestOf(assetId, attesterAddress) === null
  }

  record(input: ScoreInput): RecordResult {
    const held = this.latestOf(input.assetId, input.attesterAddress)
    if (held === null || this.isNew(input)) return { outcome: 'stored', score: this.#store(input) }
    const same = this.#policy === 'idempotent' && held.deepfakeRiskScore === input.deepfakeRiskScore
    return { outcome: same ? 'same' : 'conflict', score: held }
  }

  latestOf(assetId: string, attesterAddress: string): ScoreRecord | null {
    return this.ofAsset(assetId).findLast((score) => score.attesterAddress === attesterAddress) ?? null
  }

  ofAsset(assetId: string): readonly ScoreRecord[] {
    return this.#byAsset.get(assetId) ?? []
  }

  all(): ScoreRecord[] {
    return [...this.#byAsset.values()].flat()
  }

  attempts(): readonly ScoreAttempt[] {
    return this.#attempts
  }

  /** Opens an entry of the history; the caller sets its outcome when that is known. */
  begin(attempt: Omit<ScoreAttempt, 'at' | 'outcome'>): ScoreAttempt {
    const entry: ScoreAttempt = { ...attempt, at: this.#now(), outcome: 'pending' }
    this.#attempts.push(entry)
    return entry
  }

  aggregateOf(assetId: string): Aggregate {
    const risks = this.ofAsset(assetId).map((score) => score.deepfakeRiskScore)
    if (risks.length === 0) return { scoreCount: 0, meanRiskScore: null, minRiskScore: null, maxRiskScore: null }
    const sum = risks.reduce((total, risk) => total + risk, 0)
    return {
      scoreCount: risks.length,
      meanRiskScore: sum / risks.length,
      minRiskScore: Math.min(...risks),
      maxRiskScore: Math.max(...risks),
    }
  }

  clear(): void {
    this.#byAsset.clear()
    this.#attempts = []
    this.#touched()
  }

  #add(score: ScoreRecord): void {
    this.#byAsset.set(score.assetId, [...this.ofAsset(score.assetId), score])
  }

  #store(input: ScoreInput): ScoreRecord {
    const before = this.ofAsset(input.assetId).length
    const digest = createHash('sha256').update(`${input.assetId}\n${input.attesterAddress}\n${before}`).digest('hex')
    const score: ScoreRecord = { ...input, id: `scr_${digest.slice(0, 20)}`, createdAt: this.#now() }
    this.#add(score)
    this.#touched()
    return score
  }
}
