import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { AttestdError, toAttestdError } from '../../core/errors.js'
import type { Reason } from '../../core/reasons.js'
import { riskOfPercent, riskText, roundedRisk } from '../../core/risk.js'
import { cleanLine } from '../../core/text.js'
import type { Audit } from '../audit.js'
import { basicUser } from '../http-access.js'
import {
  type Entered,
  NOTE_MAX,
  REVIEW_CSP,
  reviewItemPage,
  reviewListPage,
  reviewProblemPage,
} from './review-pages.js'
import type { ReviewHandlers, ReviewItem } from './review-port.js'

/** What the pages work with; they are served where the console has a password only. */
export interface ReviewOptions {
  readonly handlers: ReviewHandlers
  readonly audit: Audit
}

/** Longest name of a person in ledger and audit. */
const WHO_MAX = 100
const REFUSED: readonly Reason[] = ['review-decided', 'review-expired', 'asset-closed', 'score-conflict']
const TYPES = { audio: 'audio/wav', image: 'image/jpeg', text: 'text/plain; charset=utf-8' } as const
const PAGE = 'text/html; charset=utf-8'
/** By a job id (`jobIdOf`): nothing else is looked for in the queue. */
const ITEM = '/review/:id(^asset-[0-9a-f]{40}$)'

const form = z.strictObject({
  risk: z
    .string()
    .trim()
    .regex(/^\d{1,3}([.,]\d{1,2})?$/, 'Enter a risk from 0 to 100 with at most two decimals.')
    // A browser's field for numbers drops the comma that many people write: 1,5 would be sent as 15.
    .transform((risk) => Number(risk.replace(',', '.')))
    .refine((risk) => risk <= 100, 'Enter a risk from 0 to 100.'),
  note: z
    .string()
    .max(NOTE_MAX, `A note has at most ${NOTE_MAX} characters.`)
    .regex(/^[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]*$/u, 'The note contains control characters.')
    .transform((note) => note.trim()),
})
const listQuery = z.object({ done: z.string().max(300).optional().catch(undefined) })

/** Serves the list of unsure assets, one page for each with what was decoded of its media, and takes decisions. */
export function registerReview(app: FastifyInstance, options: ReviewOptions): void {
  const { handlers } = options
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
    done(null, Object.fromEntries(new URLSearchParams(String(body)))),
  )
  app.addHook('onRequest', async (_request, reply) => {
    // With no referrer a browser would send a form without its origin, which the check of the origin refuses.
    reply.headers({ 'content-security-policy': REVIEW_CSP, 'referrer-policy': 'same-origin' })
  })
  app.setErrorHandler(async (error, _request, reply) => {
    if (!(error instanceof AttestdError)) throw error
    const { message, reason } = error
    return reply
      .code(REFUSED.includes(reason) ? 409 : 503)
      .type(PAGE)
      .send(reviewProblemPage(`${message} [${reason}]`))
  })
  app.get('/review', async (request, reply) => {
    const { done = null } = listQuery.parse(request.query)
    return reply.type(PAGE).send(reviewListPage(await handlers.list(), handlers.now(), done))
  })
  app.get<Asked>(ITEM, async ({ params }, reply) => sendItem(reply, params.id, options))
  app.get<Asked>(`${ITEM}/media`, async ({ params: { id } }, reply) => {
    const { mediaType } = await handlers.open(id)
    return reply
      .type(TYPES[mediaType === 'video_long' || mediaType === 'video_short' ? 'image' : mediaType])
      .send(await handlers.view(id, 'media'))
  })
  app.get<Asked>(`${ITEM}/map`, async ({ params: { id } }, reply) =>
    reply.type('image/png').send(await handlers.view(id, 'map')),
  )
  app.post<Asked>(ITEM, async (request, reply) => decideBy(request, reply, options))
}

interface Asked {
  Params: { id: string }
}

async function sendItem(
  reply: FastifyReply,
  id: string,
  { handlers }: ReviewOptions,
  entered?: Entered,
): Promise<FastifyReply> {
  const item = await handlers.open(id)
  const { gap, text } = await textOf(item, handlers)
  const viewGap = item.viewGap ?? gap
  return reply.type(PAGE).send(reviewItemPage({ ...item, viewGap }, text, handlers.now(), entered))
}

/** The text of a text asset stands in the page; that it cannot be had keeps nobody from a decision. */
async function textOf({ id, mediaType, viewGap }: ReviewItem, handlers: ReviewHandlers) {
  if (mediaType !== 'text' || viewGap !== null) return { gap: null, text: null }
  return handlers.view(id, 'media').then(
    (bytes) => ({ gap: null, text: bytes.toString('utf8') }),
    (error) => ({ gap: toAttestdError(error).message, text: null }),
  )
}

async function decideBy(
  request: FastifyRequest<Asked>,
  reply: FastifyReply,
  options: ReviewOptions,
): Promise<FastifyReply> {
  const { audit, handlers } = options
  const { id } = request.params
  const given = form.safeParse(request.body)
  if (!given.success) {
    const { note = '', risk = '' } = z
      .object({ risk: z.string(), note: z.string() })
      .partial()
      .catch({})
      .parse(request.body)
    const problem = given.error.issues[0]?.message ?? 'The form is malformed.'
    return sendItem(reply.code(400), id, options, { risk, note, problem })
  }
  const by = cleanLine(basicUser(request.headers.authorization), WHO_MAX) || 'unnamed'
  const { note, risk: percent } = given.data
  const risk = roundedRisk(riskOfPercent(percent))
  const { assetId, title } = await handlers.open(id).catch(() => ({ assetId: id, title: '' }))
  const record = (result: unknown) =>
    audit.record({ who: by, by: 'console', action: 'decide', what: { asset: assetId, risk: percent, note }, result })
  try {
    await handlers.decide(id, { risk, note, by })
  } catch (error) {
    record(error instanceof AttestdError ? error.reason : 'internal-error')
    throw error
  }
  record('done')
  const done = cleanLine(`${title || assetId}: ${riskText(risk)}`, 200)
  return reply.redirect(`/review?done=${encodeURIComponent(done)}`, 303)
}
