import { decodeAbiParameters, encodeAbiParameters, type Hex, isHex, keccak256, stringToBytes } from 'viem'
import { AttestdError } from '../../core/errors.js'
import type { AttestedScore, EasProfile, SchemaField } from './attestation.js'
import type { OffchainAttestation } from './wire.js'

/** Largest value of each number: basis points, and percentages that a whole number holds. */
const LIMITS = { deepfakeRiskBps: 10_000, deepfakeRiskScore: 100, authenticityScore: 100 } as const

type NumberField = keyof typeof LIMITS
type Fields = Pick<EasProfile, 'fields'>

/**
 * The `data` of an attestation: the fields of the schema in its order, ABI-encoded. Percentages become whole numbers,
 * each rounded half up from its basis points, so at an exact half the risk and its complement add up to 101. An asset
 * id in a bytes32 is itself where it is 32 bytes in hex, else the keccak256 of its UTF-8 text.
 * @throws AttestdError attestation-invalid where a value is out of bounds or the three values contradict each other
 */
export function encodeScore(profile: Fields, score: AttestedScore): Hex {
  checkNumbers(score)
  const values = profile.fields.map((field) => solidityValue(field, score))
  return encodeAbiParameters([...profile.fields], values)
}

function checkNumbers({ deepfakeRiskBps: bps, deepfakeRiskScore, authenticityScore }: AttestedScore): void {
  if (!Number.isInteger(bps) || bps < 0 || bps > LIMITS.deepfakeRiskBps) {
    throw invalid('deepfakeRiskBps is not a whole number from 0 to 10000')
  }
  if (deepfakeRiskScore !== bps / 100) throw invalid('deepfakeRiskScore is not deepfakeRiskBps as a percentage')
  if (authenticityScore !== (10_000 - bps) / 100) throw invalid('authenticityScore is not 100 less the risk')
}

function solidityValue({ name, type }: SchemaField, score: AttestedScore): string | bigint {
  if (name === 'deepfakeRiskBps') return BigInt(score.deepfakeRiskBps)
  if (name === 'deepfakeRiskScore') return wholePercent(score.deepfakeRiskBps)
  if (name === 'authenticityScore') return wholePercent(10_000 - score.deepfakeRiskBps)
  if (type === 'string') return score[name]
  if (isBytes32(score[name])) return score[name]
  if (name === 'assetId') return keccak256(stringToBytes(score.assetId))
  throw invalid(`${name} is not 32 bytes in hex`)
}

/** Basis points as whole percent, half up; whole numbers all the way, so that no fraction is off. */
const wholePercent = (bps: number) => BigInt(Math.floor((bps + 50) / 100))

const isBytes32 = (text: string) => isHex(text, { strict: true }) && text.length === 66

/**
 * The fields that the schema names, as it states them: percentages are whole, and an asset id in a bytes32 may be a hash.
 * @throws AttestdError attestation-invalid where the data is not the one ABI encoding of such fields, or a number is out of bounds
 */
export function readAttestedScore(profile: Fields, { message }: OffchainAttestation): Partial<AttestedScore> {
  const values = decode(profile, message.data)
  const entries = profile.fields.map(({ name }, index) => [name, plainValue(name, values[index])] as const)
  return Object.fromEntries(entries)
}

function decode({ fields }: Fields, data: Hex): readonly unknown[] {
  try {
    const values = decodeAbiParameters([...fields], data)
    // A decoder passes over what no offset points to; only the plain encoding states one thing in one way.
    if (encodeAbiParameters([...fields], values) === data.toLowerCase()) return values
  } catch {
    // Not of this shape: the same refusal.
  }
  throw invalid('data is not the ABI encoding of what its schema names')
}

function plainValue(name: keyof AttestedScore, value: unknown): string | number {
  if (typeof value === 'string') return value
  const number = Number(value)
  if (number > LIMITS[name as NumberField]) throw invalid(`${name} in data is more than ${LIMITS[name as NumberField]}`)
  return number
}

/** Checks that an attestation states this score and no other. @throws AttestdError attestation-invalid with the first field that differs */
export function checkAttestedScore(profile: Fields, attestation: OffchainAttestation, score: AttestedScore): void {
  const expected = decode(profile, encodeScore(profile, score))
  const stated = decode(profile, attestation.message.data)
  const differs = profile.fields.find((_, index) => stated[index] !== expected[index])
  if (differs) throw invalid(`${differs.name} in data is not that of the score`)
}

/** @param what is wrong, and with which of its fields */
export const invalid = (what: string): AttestdError =>
  new AttestdError('attestation-invalid', `The attestation's ${what}.`)
