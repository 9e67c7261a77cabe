import { AttestdError } from '../../core/errors.js'
import { asRecord } from '../record.js'
import { shapeText } from '../shape-text.js'
import { numberOf, unixMsOf } from './unix-time.js'

/** The latest block as the service reports it. */
export interface LatestBlock {
  readonly number: number
  /** Unix seconds, whole. */
  readonly timestamp: number
}

/** Field names are not shown; either may also stand under one of the wrappers, in their order. */
const NUMBER_FIELDS = ['number', 'blockNumber', 'latestBlockNumber', 'block', 'latestBlock'] as const
const TIME_FIELDS = ['timestamp', 'blockTimestamp', 'latestBlockTimestamp', 'time'] as const
const WRAPPERS = ['data', 'block', 'latest', 'latestBlock'] as const
/** Chains of tests may begin anywhere: a number below this is taken for seconds however small it is. */
const SECONDS_BELOW = 1e11

/** The block of an answer to chain/latest. @throws AttestdError service-reply-invalid, also where it is of another chain */
export function readLatestBlock(reply: unknown, chainId: number): LatestBlock {
  let record = asRecord(reply) ?? {}
  for (const wrapper of WRAPPERS) record = { ...record, ...asRecord(record[wrapper]) }
  const number = NUMBER_FIELDS.map((field) => numberOf(record[field])).find((found) => found !== null) ?? null
  const time = TIME_FIELDS.map((field) => blockTimeOf(record[field])).find((found) => found !== null) ?? null
  const stated = numberOf(record.chainId)
  if (stated !== null && stated !== chainId) throw unusable(`it is of chain ${stated} instead of ${chainId}`)
  if (number === null || !Number.isSafeInteger(number) || number < 0)
    throw unusable(`it has no block number; it is ${shapeText(reply)}`)
  if (time === null || time < 0) throw unusable(`it has no timestamp; it is ${shapeText(reply)}`)
  return { number, timestamp: Math.floor(time / 1000) }
}

/** Unix milliseconds. */
function blockTimeOf(value: unknown): number | null {
  const number = numberOf(value)
  return number !== null && number < SECONDS_BELOW ? number * 1000 : unixMsOf(value)
}

const unusable = (what: string): AttestdError =>
  new AttestdError('service-reply-invalid', `The chain time cannot be used: ${what}`)
