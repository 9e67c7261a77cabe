import type { EasProfile } from '../../chain/eas/attestation.js'
import { checkAttestedScore } from '../../chain/eas/score-data.js'
import { verifyAttestation } from '../../chain/eas/verify.js'
import { parseAttestation } from '../../chain/eas/wire.js'
import { errorText } from '../../core/errors.js'
import { type Risk, riskOfPercent, scoreValues } from '../../core/risk.js'
import type { LedgerEntry } from '../../pipeline/ledger.js'
import type { Sandbox } from '../../sandbox/create-sandbox.js'
import type { Sample } from '../samples.js'

export interface DemoRow extends Pick<Sample, 'title' | 'file' | 'mediaType' | 'made'> {
  readonly assetId: string
  /** Null where there is no accepted score. */
  readonly risk: Risk | null
  readonly detector: string | null
  /** From registration to the accepted score, by the service's clock. */
  readonly openToAcceptedMs: number | null
  readonly receiptId: string | null
  /** Scores on record; exactly one is right. */
  readonly accepted: number
  /** Why there is no score, where the daemon reported it. */
  readonly reason: string | null
  /** Null where the API has none that the attester makes. */
  readonly attested: Attested | null
}

/** What rows are made of: the sandbox's books for scores and times, the daemon's ledger for why there is none. */
export interface DemoRecords {
  readonly sandbox: Sandbox
  readonly entries: readonly LedgerEntry[]
  /** Of the attestations that must be there; null where the attester makes none. */
  readonly profile: EasProfile | null
}

/** The row of one sample. @param assetId of its asset */
export async function demoRow(sample: Sample, assetId: string, records: DemoRecords): Promise<DemoRow> {
  const { entries, profile, sandbox } = records
  const scores = sandbox.scores().filter((score) => score.assetId === assetId)
  const asset = sandbox.world.assets.all().find(({ id }) => id === assetId)
  const [score] = scores
  const trouble = entries.find((entry) => entry.assetId === assetId && 'reason' in entry)
  const { title, file, mediaType, made } = sample
  return {
    assetId,
    title,
    file,
    mediaType,
    made,
    risk: score ? riskOfPercent(score.deepfakeRiskScore) : null,
    detector: score?.algorithm ?? null,
    openToAcceptedMs: score && asset ? score.createdAt - asset.createdAt : null,
    receiptId: score?.id ?? null,
    accepted: scores.length,
    reason: trouble && 'reason' in trouble ? trouble.reason : null,
    attested: profile && score && asset ? await attestedBy(profile, asset.contentHash, score) : null,
  }
}

type Score = ReturnType<Sandbox['scores']>[number]

/** What the attestation of a score is worth. */
export type Attested =
  | { readonly uid: string; readonly fault: null }
  | { readonly uid: string | null; readonly fault: string }

/** Verifies the attestation of a score as if read from a file: form, uid, signature, and that it states this score. */
export async function attestedBy(profile: EasProfile, contentHash: string, score: Score): Promise<Attested> {
  const { assetId, algorithm, attestation, attesterAddress, notes } = score
  if (attestation === undefined) return { uid: null, fault: 'no attestation' }
  try {
    const parsed = parseAttestation(JSON.parse(JSON.stringify(attestation)))
    const attester = attesterAddress as `0x${string}`
    const { uid } = await verifyAttestation(parsed, { profile, attester, now: Math.floor(score.createdAt / 1000) })
    const values = scoreValues(riskOfPercent(score.deepfakeRiskScore))
    checkAttestedScore(profile, parsed, { ...values, assetId, contentHash, algorithm, notes })
    return { uid, fault: null }
  } catch (error) {
    return { uid: attestation.uid, fault: errorText(error) }
  }
}
