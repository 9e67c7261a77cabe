import { z } from 'zod'
import { AttestdError } from '../../core/errors.js'

/** As long as the control route takes it, characters. */
export const selectionText = z.string().max(10_000)
/** Selections that can be gone back to. */
const MAX_BEFORE = 20

const order = z.object({
  /** Of one order; a daemon carries it out once. */
  id: z.string().min(1).max(100),
  /** Text of the setting ATTESTD_DETECTORS in its place; null: each daemon's own. */
  chosen: selectionText.nullable(),
  /** What was chosen before, the last one last. */
  before: z.array(selectionText.nullable()).max(MAX_BEFORE),
  /** ATTESTD_DETECTORS of the daemons that it was given to; one that starts later follows it where its own is one of these. */
  settings: z.array(selectionText).max(100),
})
/** What `models reload` or `models rollback` last told all daemons of a queue. */
export type DetectorOrder = z.infer<typeof order>
/** As it is kept on the queue and in the data directory. */
export const detectorOrder = order

/** What the verbs ask for; a reload without detectors reads the packages again. */
export type DetectorWish =
  | { readonly kind: 'reload'; readonly detectors?: string | undefined }
  | { readonly kind: 'rollback' }

/** @returns null for a text that is none */
export function readOrder(json: string | null): DetectorOrder | null {
  try {
    return json === null ? null : (order.safeParse(JSON.parse(json)).data ?? null)
  } catch {
    return null
  }
}

/**
 * The order that follows the last one. Where no daemon has the ATTESTD_DETECTORS of the last one any more, it starts
 * anew: the operator changed the setting since.
 * @throws AttestdError setting-invalid where there is nothing to go back to
 */
export function nextOrder(
  last: DetectorOrder | null,
  wish: DetectorWish,
  facts: Pick<DetectorOrder, 'id' | 'settings'>,
): DetectorOrder {
  const stands = last?.settings.some((text) => facts.settings.includes(text)) ? last : null
  const { before = [], chosen = null } = stands ?? {}
  if (wish.kind === 'rollback') {
    const previous = before.at(-1)
    if (previous === undefined) throw new AttestdError('setting-invalid', 'There is no selection before this one.')
    return { ...facts, chosen: previous, before: before.slice(0, -1) }
  }
  if (wish.detectors === undefined || wish.detectors === chosen) return { ...facts, chosen, before }
  return { ...facts, chosen: wish.detectors, before: [...before, chosen].slice(-MAX_BEFORE) }
}
