import { encodePacked, type Hex, keccak256, zeroAddress } from 'viem'
import { AttestdError } from '../../core/errors.js'
import type { AttestedScore, SchemaField } from './attestation.js'

/** What a field may be: a text, 32 bytes, or a whole number for which `bits` are enough. */
interface FieldKind {
  readonly text: boolean
  readonly bytes32: boolean
  /** Fewest bits of a uint that hold every value; 0 where the field is no number. */
  readonly bits: number
}

const FIELD_KINDS: Readonly<Record<keyof AttestedScore, FieldKind>> = {
  assetId: { text: true, bytes32: true, bits: 0 },
  contentHash: { text: true, bytes32: true, bits: 0 },
  deepfakeRiskBps: { text: false, bytes32: false, bits: 14 },
  deepfakeRiskScore: { text: false, bytes32: false, bits: 7 },
  authenticityScore: { text: false, bytes32: false, bits: 7 },
  algorithm: { text: true, bytes32: false, bits: 0 },
  notes: { text: true, bytes32: false, bits: 0 },
}

const FIELD = /^([a-z]+[0-9]*)\s+([A-Za-z]+)$/
const UINT = /^uint([1-9][0-9]{0,2})?$/

/**
 * The fields of a schema's text, in its order; a bare `uint` is `uint256`.
 * @throws AttestdError setting-invalid for a name that attestations do not have, a name twice, or a type that cannot hold the field
 */
export function parseSchema(schema: string): SchemaField[] {
  const fields = schema.split(',').map((part) => parseField(part.trim()))
  const repeated = fields.find(({ name }, index) => fields.findIndex((other) => other.name === name) !== index)
  if (repeated) throw unfit(`${repeated.name} is in it twice`)
  return fields
}

function parseField(part: string): SchemaField {
  const [, type = '', name = ''] = FIELD.exec(part) ?? []
  if (!isFieldName(name)) {
    const names = Object.keys(FIELD_KINDS).join(', ')
    throw unfit(`"${part.slice(0, 80)}" is not a Solidity type and one of the names ${names}`)
  }
  const types = typesOf(FIELD_KINDS[name])
  if (!fits(type, FIELD_KINDS[name])) throw unfit(`${name} is a ${type}, which must be ${types}`)
  return { name, type: type === 'uint' ? 'uint256' : type }
}

const isFieldName = (name: string): name is keyof AttestedScore => Object.hasOwn(FIELD_KINDS, name)

function fits(type: string, kind: FieldKind): boolean {
  if (type === 'string') return kind.text
  if (type === 'bytes32') return kind.bytes32
  const uint = UINT.exec(type)
  if (uint === null || kind.bits === 0) return false
  const bits = Number(uint[1] ?? 256)
  return bits % 8 === 0 && bits <= 256 && bits >= kind.bits
}

function typesOf(kind: FieldKind): string {
  if (kind.bits > 0) return `uint${Math.ceil(kind.bits / 8) * 8} or a larger uint`
  return kind.bytes32 ? 'string or bytes32' : 'string'
}

const unfit = (what: string): AttestdError =>
  new AttestdError('setting-invalid', `The EAS schema cannot be used: ${what}.`, { fix: 'Correct ATTESTD_EAS_SCHEMA.' })

/**
 * The uid that the schema registry gives a revocable schema without resolver: over its text as it stands, so a space
 * more is another schema.
 * Source: `SchemaRegistry.sol`, `_getUID`.
 */
export const schemaUidOf = (schema: string): Hex =>
  keccak256(encodePacked(['string', 'address', 'bool'], [schema, zeroAddress, true]))
