import { AttestdError } from '../../core/errors.js'
import { cleanText } from '../../core/text.js'
import { inTurns } from '../long-answers.js'
import type { Asset } from '../port.js'
import {
  asRecord,
  assetIdIn,
  assetRecordIn,
  closingIn,
  kindIn,
  type MalformedSource,
  nameable,
  type OnMalformed,
  outOfEnvelope,
} from '../record.js'
import { issueText, shapeText } from '../shape-text.js'
import { assetIdSchema, MEDIA_CONTEXT_MAX, TITLE_MAX } from '../wire-fields.js'
import { assetSchema } from './schemas.js'
import { type OwnScore, ownScore, scoresIn } from './score-record.js'
import { numberOf } from './unix-time.js'

/**
 * Tolerant reading of what the specification does not show ("not shown"): what lists, single assets and events are wrapped
 * in. Field names that a service may use for each stand here and in `record.ts`, `score-record.ts` and `chain-latest.ts`,
 * and nowhere else.
 */

const LIST_FIELDS = ['assets', 'openAssets', 'items', 'data', 'results', 'open'] as const
const COUNT_FIELDS = ['scoreCount', 'scoresCount'] as const

const readableSchema = assetSchema
  .pick({ title: true, mediaContext: true, contentHash: true, uri: true, status: true })
  .extend({ id: assetIdSchema })

/** Whose score is looked for in the asset's own, where it was asked for. */
export interface ReadOptions {
  /** Address of the attester; absent where its score was not asked for. */
  readonly attester?: string
  readonly source: MalformedSource
  readonly onMalformed?: OnMalformed | undefined
}

/** The records of a list: the answer itself, or what stands under one of its names; null where there is no list. */
export function listIn(reply: unknown, names: readonly string[] = LIST_FIELDS): unknown[] | null {
  if (Array.isArray(reply)) return reply
  const record = asRecord(outOfEnvelope(reply))
  const list = names.map((field) => record?.[field]).find((found) => Array.isArray(found))
  return Array.isArray(list) ? list : null
}

/** How many scores an asset has, as far as its record states. */
export function scoreCountIn(record: Record<string, unknown>): number | null {
  const aggregate = asRecord(record.aggregate)
  const counts = [...COUNT_FIELDS.map((field) => record[field]), aggregate?.scoreCount, aggregate?.count]
  const count = counts.map(numberOf).find((found) => found !== null && Number.isInteger(found) && found >= 0)
  return count ?? scoresIn(record)?.length ?? null
}

/** The open assets of a list, each malformed one is skipped and reported, and costs nothing else. */
export async function readAssets(
  values: readonly unknown[],
  { attester, source, onMalformed }: ReadOptions,
): Promise<Asset[]> {
  const assets: Asset[] = []
  for await (const value of inTurns(values)) {
    const read = readAsset(value)
    if (typeof read === 'string')
      onMalformed?.({ what: 'asset', source, id: nameable(assetIdIn(assetRecordIn(value))), message: read })
    else if (read.isOpen) assets.push({ ...read.asset, ...listedScore(assetRecordIn(value), attester) })
  }
  return assets
}

/**
 * The asset of a single-asset answer with the attester's score; null where it is not open and holds none. Throws
 * `service-reply-invalid` where it is malformed, another asset than was asked for, or does not show whether the attester
 * has scored it.
 */
export function readFound(reply: unknown, id: string, attester: string): Asset | null {
  const read = readAsset(reply)
  if (typeof read === 'string') throw unusable(read)
  if (read.asset.id !== id) throw new AttestdError('service-reply-invalid', 'The answer contains another asset.')
  const own = foundScore(asRecord(outOfEnvelope(reply)) ?? {}, read.asset.scoreCount ?? 0, attester)
  return read.isOpen || own !== null ? { ...read.asset, ...scoreFields(own) } : null
}

/** @returns the asset without its score, or what is wrong with it */
function readAsset(value: unknown): { asset: Asset; isOpen: boolean } | string {
  const record = assetRecordIn(value)
  const parsed = readableSchema.safeParse({ ...record, id: assetIdIn(record) })
  if (!parsed.success) return `${issueText(parsed.error)}; it is ${shapeText(value)}`
  const { id, title, mediaContext, contentHash, uri, status } = parsed.data
  const asset = {
    id,
    title: cleanText(title, TITLE_MAX),
    mediaContext: cleanText(mediaContext, MEDIA_CONTEXT_MAX),
    contentHash: contentHash.toLowerCase(),
    uri: cleanText(uri, uri.length),
    // Not fields of this specification: read where a service has them, and doing without where they are not usable.
    ...kindIn(record),
    ...closingIn(record),
    scoreCount: scoreCountIn({ ...asRecord(outOfEnvelope(value)), ...record }),
  }
  return { asset, isOpen: status === 'open' }
}

/** A list states something of the attester's score only where its records carry their scores. */
function listedScore(record: Record<string, unknown>, attester: string | undefined) {
  const scores = scoresIn(record)
  if (attester === undefined || !scores) return {}
  const own = ownScore(scores, attester)
  return own === 'unreadable' ? {} : scoreFields(own)
}

const scoreFields = (own: OwnScore | null): Pick<Asset, 'myScore' | 'myAlgorithm'> =>
  own ? { myScore: own.risk, myAlgorithm: own.algorithm } : { myScore: null }

/** Scores are next to the asset or in it; an asset that has none may come without a list of them. */
function foundScore(reply: Record<string, unknown>, scoreCount: number, attester: string): OwnScore | null {
  const scores = scoresIn(reply) ?? scoresIn(assetRecordIn(reply))
  const own = ownScore(scores ?? [], attester)
  if (own === 'unreadable') throw unusable('it has a score whose attester or risk cannot be read')
  const shown = scores?.length ?? 0
  if (own === null && shown < scoreCount) throw unusable(`it has ${scoreCount} scores and shows ${shown}`)
  return own
}

const unusable = (what: string): AttestdError =>
  new AttestdError('service-reply-invalid', `The asset cannot be used: ${what}`)
