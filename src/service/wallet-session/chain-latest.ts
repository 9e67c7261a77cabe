import { AttestdError } from '../../core/errors.js'
import { asRecord } from '../record.js'
import { shapeText } from '../shape-text.js'
import { numberOf, unixMsOf } from './unix-time.js'

export interface LatestBlock {
  readonly number: number
  /** Unix seconds, whole. */
  readonly timestamp: number
}

/** Field names are not shown: these are what a block's number and time are called, alone or under a wrapper. */
const NUMBER_FIELD = /^(latest_?)?((block_?)?(number|height)|block)$/i
const TIME_FIELD = /^(latest_?)?(block_?)?time(stamp)?$/i
const WRAPPER = /^(data|result|latest|(latest_?)?block)$/i
const CHAIN_FIELD = /^chain_?id$/i
/** Wrappers in each other, as of `data.block`. */
const MOST_WRAPPERS = 2
/** Chains of tests may begin anywhere: a number below this is taken for seconds however small it is. */
const SECONDS_BELOW = 1e11

/** The block of an answer to chain/latest. @throws AttestdError service-reply-invalid, also where it is of another chain */
export function readLatestBlock(reply: unknown, chainId: number): LatestBlock {
  const fields = fieldsOf(reply)
  const number = valueIn(fields, NUMBER_FIELD, numberOf)
  const time = valueIn(fields, TIME_FIELD, blockTimeOf)
  const stated = valueIn(fields, CHAIN_FIELD, numberOf)
  if (stated !== null && stated !== chainId) throw unusable(`it is of chain ${stated} instead of ${chainId}`)
  if (number === null || !Number.isSafeInteger(number) || number < 0)
    throw unusable(`it has no block number; it is ${shapeText(reply)}`)
  if (time === null || time < 0) throw unusable(`it has no timestamp; it is ${shapeText(reply)}`)
  return { number, timestamp: Math.floor(time / 1000) }
}

type Fields = readonly (readonly [name: string, value: unknown])[]

/** The fields of an answer, first those of what it wraps: the time next to a block may be that of the answer. */
function fieldsOf(value: unknown, wrappers = MOST_WRAPPERS): Fields {
  const own = Object.entries(asRecord(value) ?? {})
  if (wrappers === 0) return own
  return [...own.flatMap(([name, inner]) => (WRAPPER.test(name) ? fieldsOf(inner, wrappers - 1) : [])), ...own]
}

/** What the first field of such a name states that can be read. */
function valueIn(fields: Fields, named: RegExp, read: (value: unknown) => number | null): number | null {
  const values = fields.filter(([name]) => named.test(name)).map(([, value]) => read(value))
  return values.find((found) => found !== null) ?? null
}

/** Unix milliseconds. */
function blockTimeOf(value: unknown): number | null {
  const number = numberOf(value)
  return number !== null && number < SECONDS_BELOW ? number * 1000 : unixMsOf(value)
}

const unusable = (what: string): AttestdError =>
  new AttestdError('service-reply-invalid', `The chain time cannot be used: ${what}`)
