import { type AbiFunction, type AbiParameter, parseAbiItem } from 'viem'
import { z } from 'zod'
import { AttestdError } from '../core/errors.js'
import { cleanLine, readJson } from '../core/text.js'

/** A function of the stake contract and which of its values is meant. */
export interface StakeCall {
  /** A view or pure function. */
  readonly abi: AbiFunction
  /** Whether its one input is the account; it has none otherwise. */
  readonly takesAccount: boolean
  /** Positions of the value among the outputs, one for each level of tuples. */
  readonly output: readonly number[]
}

/** What is read from the stake contract, by purpose. */
export interface StakeAbi {
  readonly stake: StakeCall
  /** A number of wei where the contract has no function for it. */
  readonly minimum: StakeCall | bigint
  /** Null: the contract does not hold the role, so everyone has it. */
  readonly attester: StakeCall | null
  readonly submitter: StakeCall | null
}

const PURPOSES = ['stake', 'minimum', 'attester', 'submitter'] as const
type Purpose = (typeof PURPOSES)[number]

/** Texts beyond it are no list of four signatures, characters. */
const MAX_TEXT = 20_000
/** Longest part of a setting that is repeated in an error, characters. */
const MAX_QUOTED = 120
const EXAMPLE: Readonly<Record<Purpose, string>> = {
  stake: 'stake=function stakeOf(address) view returns (uint256)',
  minimum: 'minimum=function minimumStake() view returns (uint256), or minimum=1000000000000000000',
  attester: 'attester=function isAttester(address) view returns (bool)',
  submitter: 'submitter=function isSubmitter(address) view returns (bool)',
}

/**
 * Reads `purpose=signature; …` (the setting ATTESTD_STAKE_ABI). `stake` and `minimum` are needed, the roles are not. A
 * signature is Solidity's or the JSON ABI of one function; `purpose.name` or `purpose.index` names one of several
 * outputs, further names or indexes lead into tuples.
 * @throws AttestdError setting-invalid, which names the purpose
 */
export function parseStakeAbi(text: string): StakeAbi {
  if (text.length > MAX_TEXT) throw invalid(null, `is longer than ${MAX_TEXT} characters`)
  const entries = new Map<Purpose, StakeCall | bigint>()
  for (const part of text.split(';').map((each) => each.trim())) {
    if (part === '') continue
    const [purpose, value] = parseEntry(part)
    if (entries.has(purpose)) throw invalid(purpose, 'is set twice')
    entries.set(purpose, value)
  }
  const call = (purpose: Purpose) => entries.get(purpose) as StakeCall | undefined
  const stake = call('stake')
  const minimum = entries.get('minimum')
  if (!stake) throw invalid('stake', 'is missing')
  if (minimum === undefined) throw invalid('minimum', 'is missing')
  return { stake, minimum, attester: call('attester') ?? null, submitter: call('submitter') ?? null }
}

function parseEntry(part: string): [Purpose, StakeCall | bigint] {
  const [, name, selector, value] = /^(\w+)((?:\.\w+)*)\s*=\s*(.*)$/s.exec(part) ?? []
  if (name === undefined || value === undefined)
    throw invalid(null, `holds ${quoted(part)}, which is not purpose=signature`)
  const purpose = PURPOSES.find((each) => each === name)
  if (!purpose) throw invalid(null, `has no purpose ${quoted(name)}, only ${PURPOSES.join(', ')}`)
  if (purpose === 'minimum' && !selector && /^\d{1,78}$/.test(value)) return [purpose, BigInt(value)]
  const abi = parseFunction(purpose, value)
  const path = selector ? selector.slice(1).split('.') : []
  return [purpose, { abi, takesAccount: abi.inputs.length === 1, output: outputOf(purpose, abi, path) }]
}

function parseFunction(purpose: Purpose, signature: string): AbiFunction {
  const item = /^[[{]/.test(signature) ? fromJson(purpose, signature) : fromSolidity(purpose, signature)
  if (item.stateMutability !== 'view' && item.stateMutability !== 'pure') {
    throw invalid(purpose, 'is not a view or pure function')
  }
  const inputs = item.inputs.map((input) => input.type).join()
  if (inputs === '' || inputs === 'address') return item
  throw invalid(purpose, `takes (${cleanLine(inputs, MAX_QUOTED)}) instead of nothing or one address`)
}

function fromSolidity(purpose: Purpose, signature: string): AbiFunction {
  let item: { readonly type: string }
  try {
    item = parseAbiItem(signature as 'function example()')
  } catch {
    throw invalid(purpose, `holds ${quoted(signature)}, which is not a function signature`)
  }
  if (item.type !== 'function') throw invalid(purpose, `is a signature of kind ${item.type}`)
  return item as AbiFunction
}

const parameter: z.ZodType<AbiParameter> = z.lazy(() =>
  z.object({
    type: z.string().regex(/^(address|bool|string|tuple|bytes\d*|u?int\d*)(\[\d*\])*$/),
    name: z.string().optional(),
    components: z.array(parameter).optional(),
  }),
) as z.ZodType<AbiParameter>
const jsonFunction = z.object({
  type: z.literal('function'),
  name: z.string().regex(/^[A-Za-z_$][\w$]*$/),
  inputs: z.array(parameter),
  outputs: z.array(parameter),
  stateMutability: z.enum(['view', 'pure', 'nonpayable', 'payable']),
})
const jsonAbi = z.union([jsonFunction, z.tuple([jsonFunction]).transform(([item]) => item)])

function fromJson(purpose: Purpose, text: string): AbiFunction {
  const item = readJson(jsonAbi, text)
  if (item === null) throw invalid(purpose, 'is not a JSON ABI of exactly one function')
  return item
}

/** Follows names or indexes through the outputs and the tuples in them to a value of a type that fits the purpose. */
function outputOf(purpose: Purpose, abi: AbiFunction, path: readonly string[]): number[] {
  const steps = path.length === 0 && abi.outputs.length === 1 ? ['0'] : path
  let level: readonly AbiParameter[] = abi.outputs
  let found: AbiParameter | undefined
  const output = steps.map((step) => {
    const index = /^\d+$/.test(step) ? Number(step) : level.findIndex((each) => each.name === step)
    found = level[index]
    if (!found) throw invalid(purpose, `has no output ${quoted(step)}; it has ${listed(level)}`)
    level = 'components' in found && found.type === 'tuple' ? found.components : []
    return index
  })
  if (!found)
    throw invalid(
      purpose,
      `does not select an output, as ${purpose}.name or ${purpose}.index does; it has ${listed(level)}`,
    )
  const isRole = purpose === 'attester' || purpose === 'submitter'
  if (/^uint\d*$/.test(found.type) || (isRole && found.type === 'bool')) return output
  throw invalid(
    purpose,
    `returns a ${quoted(found.type)} instead of ${isRole ? 'a bool or an unsigned integer' : 'an unsigned integer'}`,
  )
}

function listed(level: readonly AbiParameter[]): string {
  const all = level.map((each, index) => `${index}: ${each.type}${each.name ? ` ${each.name}` : ''}`)
  return all.length === 0 ? 'nothing' : quoted(all.join(', '))
}

const quoted = (text: string) => `"${cleanLine(text, MAX_QUOTED)}"`

function invalid(purpose: Purpose | null, what: string): AttestdError {
  const subject = purpose === null ? 'it' : `its purpose ${purpose}`
  const message = `ATTESTD_STAKE_ABI is not accepted: ${subject} ${what}; expected for instance ${EXAMPLE[purpose ?? 'stake']}`
  return new AttestdError('setting-invalid', message, { facts: { setting: 'ATTESTD_STAKE_ABI' } })
}
