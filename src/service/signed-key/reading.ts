import { z } from 'zod'
import { AttestdError } from '../../core/errors.js'
import { riskOfPercent } from '../../core/risk.js'
import { cleanText } from '../../core/text.js'
import { inTurns } from '../long-answers.js'
import type { Asset, ServiceEvent, Stake } from '../port.js'
import {
  asRecord,
  assetRecordIn,
  closingIn,
  eventData,
  kindIn,
  type MalformedSource,
  nameable,
  type OnMalformed,
  outOfEnvelope,
  unknownEvent,
} from '../record.js'
import { issueText } from '../shape-text.js'
import type { RawEvent } from '../stream-source.js'
import { MEDIA_CONTEXT_MAX, TITLE_MAX } from '../wire-fields.js'
import {
  assetsEventSchema,
  errorEventSchema,
  mediaAssetSchema,
  pingEventSchema,
  readyEventSchema,
  stakeSchema,
  type WireStake,
} from './schemas.js'

/** Longest text of an `error` event that is repeated, characters. */
const ERROR_TEXT_MAX = 300

/** What is only shown costs no score: what is missing or of another shape is read as nothing. */
const readableSchema = mediaAssetSchema.omit({ mediaType: true, turnaround: true }).extend({
  title: z.string().catch(''),
  mediaContext: z.string().catch(''),
  scoreCount: z.int().min(0).nullable().catch(null),
})

/** The port's asset from the wire's. `myScore` is null only where the service was asked and holds none. */
function assetOf(wire: z.infer<typeof readableSchema>, { asked }: { asked: boolean }): Asset {
  const own = wire.myScore?.submitted ? riskOfPercent(wire.myScore.deepfakeRiskScore) : undefined
  const myScore = own ?? (asked ? null : undefined)
  return {
    id: wire.id,
    title: cleanText(wire.title, TITLE_MAX),
    mediaContext: cleanText(wire.mediaContext, MEDIA_CONTEXT_MAX),
    contentHash: wire.contentHash.toLowerCase(),
    uri: cleanText(wire.uri, wire.uri.length),
    ...kindIn(wire),
    // Not a field of this specification: read where a service has it.
    ...closingIn(wire),
    scoreCount: wire.scoreCount,
    myScore,
  }
}

/** The port's stake, in wei, from decimal strings that `stakeSchema` has checked. */
function stakeOf(wire: WireStake): Stake {
  return { stakedWei: BigInt(wire.stakedWei), minStakeWei: BigInt(wire.minStakeWei) }
}

/** The open assets of a list, each malformed one is skipped and reported, and costs nothing else. */
export async function readAssets(
  values: readonly unknown[],
  { asked, source, onMalformed }: { asked: boolean; source: MalformedSource; onMalformed?: OnMalformed | undefined },
): Promise<Asset[]> {
  const assets: Asset[] = []
  for await (const value of inTurns(values)) {
    const parsed = readableSchema.safeParse(value)
    if (!parsed.success)
      onMalformed?.({ what: 'asset', source, id: nameable(asRecord(value)?.id), message: issueText(parsed.error) })
    else if (parsed.data.status === 'open') assets.push(assetOf(parsed.data, { asked }))
  }
  return assets
}

export function readStake(value: unknown, onMalformed?: OnMalformed): Stake | null {
  const parsed = stakeSchema.safeParse(value)
  if (parsed.success) return stakeOf(parsed.data)
  onMalformed?.({ what: 'stake', source: 'answer', id: null, message: issueText(parsed.error) })
  return null
}

/**
 * The asset of a single-asset answer, asked with `includeMyScore=1`, whose shape is not shown: `myScore` stands in the asset
 * or next to it. Null where the asset is not open.
 * @throws AttestdError service-reply-invalid where it is malformed or another asset than was asked for
 */
export function readFound(reply: unknown, id: string): Asset | null {
  const record = assetRecordIn(reply)
  const myScore = record.myScore ?? asRecord(outOfEnvelope(reply))?.myScore
  const parsed = readableSchema.safeParse({ ...record, myScore })
  if (!parsed.success) {
    throw new AttestdError('service-reply-invalid', `The asset cannot be used: ${issueText(parsed.error)}`)
  }
  if (parsed.data.id !== id) throw new AttestdError('service-reply-invalid', 'The answer contains another asset.')
  return parsed.data.status === 'open' ? assetOf(parsed.data, { asked: true }) : null
}

/**
 * The port's events from one event of the stream (specification, Events).
 * @throws AttestdError event-malformed for an unknown name,
 * data that is not JSON, or a wrong shape; a malformed asset inside is skipped and reported
 */
export async function decodeEvent(event: RawEvent, onMalformed?: OnMalformed): Promise<readonly ServiceEvent[]> {
  switch (event.name) {
    case 'ready':
      return [{ kind: 'ready', stake: stakeOf(eventData(event, readyEventSchema).stake) }]
    case 'open-assets':
      return [{ kind: 'snapshot', ...(await assetsIn(event, onMalformed)) }]
    case 'new-open-assets':
      return [{ kind: 'delta', ...(await assetsIn(event, onMalformed)) }]
    case 'ping':
      eventData(event, pingEventSchema)
      return [{ kind: 'heartbeat' }]
    case 'error':
      return [{ kind: 'trouble', reason: 'stream-error-event', message: messageIn(event) }]
    default:
      throw unknownEvent(event)
  }
}

async function assetsIn(event: RawEvent, onMalformed: OnMalformed | undefined) {
  const { ids, assets } = eventData(event, assetsEventSchema)
  return {
    assets: await readAssets(assets, { asked: false, source: 'stream', onMalformed }),
    ids: ids.filter((id) => typeof id === 'string'),
  }
}

function messageIn(event: RawEvent): string {
  const { message } = eventData(event, errorEventSchema)
  return `The service reported: ${cleanText(message, ERROR_TEXT_MAX)}`
}
