import { z } from 'zod'
import { AttestdError } from '../../core/errors.js'
import { readJson } from '../../core/text.js'

/** As long as the control route takes it, characters. */
export const selectionSetting = z.string().max(10_000)

/** What `models reload` or `models rollback` last ordered, as it is kept on the queue and in the data directory. */
export const detectorOrder = z.object({
  /** A daemon carries it out once. */
  id: z.string().min(1).max(100),
  /** Text of the setting ATTESTD_DETECTORS in its place; null: each daemon's own. */
  chosen: selectionSetting.nullable(),
  /** What was chosen before it, where there is something to go back to. */
  before: z.array(selectionSetting.nullable()).max(1),
  /** ATTESTD_DETECTORS of the daemons that it was given to; one that starts later follows it where its own is one of these. */
  settings: z.array(selectionSetting).max(100),
})
export type DetectorOrder = z.infer<typeof detectorOrder>

/** What the verbs ask for; a reload without detectors reads the packages again. */
export type DetectorRequest =
  | { readonly kind: 'reload'; readonly detectors?: string | undefined }
  | { readonly kind: 'rollback' }

/** @returns null for a text that is none */
export const readOrder = (json: string | null): DetectorOrder | null =>
  json === null ? null : readJson(detectorOrder, json)

/**
 * The order that follows the last one. Where no daemon has the ATTESTD_DETECTORS of the last one any more, it starts
 * from nothing: the operator changed the setting since.
 * @throws AttestdError setting-invalid where there is nothing to go back to
 */
export function nextOrder(
  last: DetectorOrder | null,
  request: DetectorRequest,
  facts: Pick<DetectorOrder, 'id' | 'settings'>,
): DetectorOrder {
  const stands = last?.settings.some((text) => facts.settings.includes(text)) ? last : null
  const { before = [], chosen = null } = stands ?? {}
  if (request.kind === 'rollback') {
    const [previous] = before
    if (previous === undefined) throw new AttestdError('setting-invalid', 'There is no selection before this one.')
    return { ...facts, chosen: previous, before: [] }
  }
  const { detectors = chosen } = request
  return { ...facts, chosen: detectors, before: detectors === chosen ? before : [chosen] }
}
