import { AttestdError } from '../../core/errors.js'
import type { Risk } from '../../core/risk.js'
import type { Receipt } from '../port.js'
import { asRecord, outOfEnvelope } from '../record.js'
import { shapeText } from '../shape-text.js'
import { attesterIn, riskIn, scoreIdIn } from './score-record.js'

/**
 * The receipt in the answer to a score, whose shape is not shown: the record itself, or what stands under `score`. What it
 * states must be ours; a risk that it does not state is the one that was sent.
 * @throws AttestdError service-reply-invalid, ambiguous, where it names another asset or attester, or states nothing of a score
 */
export function readReceipt(
  reply: Record<string, unknown>,
  sent: { readonly assetId: string; readonly risk: Risk; readonly attester: string },
): Receipt {
  const opened = asRecord(outOfEnvelope(reply)) ?? reply
  const record = asRecord(opened.score) ?? opened
  const [attester, risk, scoreId] = [attesterIn(record), riskIn(record), scoreIdIn(record)]
  if (record.assetId !== undefined && String(record.assetId) !== sent.assetId) throw wrong('names another asset')
  if (attester !== null && attester !== sent.attester.toLowerCase()) throw wrong('names another attester')
  const isReceipt = record.assetId !== undefined || [attester, risk, scoreId].some((stated) => stated !== null)
  if (!isReceipt && record.ok !== true && record.success !== true)
    throw wrong(`does not state the score; it is ${shapeText(reply)}`)
  return { scoreId, assetId: sent.assetId, risk: risk ?? sent.risk, how: 'accepted', attester }
}

const wrong = (what: string): AttestdError =>
  new AttestdError('service-reply-invalid', `The receipt ${what}.`, { ambiguous: true })
