import { encodeAbiParameters, type Hex, keccak256, stringToBytes } from 'viem'
import { describe, expect, it } from 'vitest'
import type { AttestedScore } from '../../../src/chain/eas/attestation.js'
import { parseSchema } from '../../../src/chain/eas/schema.js'
import { checkAttestedScore, encodeScore, readAttestedScore } from '../../../src/chain/eas/score-data.js'
import type { OffchainAttestation } from '../../../src/chain/eas/wire.js'
import { parseAttestation } from '../../../src/chain/eas/wire.js'
import { asRisk, riskOfBasisPoints, scoreValues } from '../../../src/core/risk.js'
import { readEasVectors } from '../../support/eas-vectors.js'
import { withReason } from '../../support/with-reason.js'

const [vector] = readEasVectors()
const score = vector!.score
const base = parseAttestation(vector!.attestation)

const fieldsOf = (schema: string) => ({ fields: parseSchema(schema) })
const carrying = (data: Hex): OffchainAttestation => ({ ...base, message: { ...base.message, data } })
const read = (schema: string, data: Hex) => readAttestedScore(fieldsOf(schema), carrying(data))
const roundTrip = (schema: string, each: AttestedScore) => read(schema, encodeScore(fieldsOf(schema), each))
const refused = (message: RegExp) => withReason('attestation-invalid', message)

const ALL =
  'string assetId,bytes32 contentHash,uint16 deepfakeRiskBps,uint8 deepfakeRiskScore,uint8 authenticityScore,string algorithm,string notes'

describe('the data of a score', () => {
  it.each([
    [0, 0, 100],
    [0.0049, 0, 100],
    [0.005, 1, 100],
    [0.425, 43, 58],
    [0.4249, 42, 58],
    [0.5, 50, 50],
    [0.995, 100, 1],
    [0.9951, 100, 0],
    [1, 100, 0],
  ])('risk %d is %i percent, authentic %i percent, rounded half up', (risk, deepfakeRiskScore, authenticityScore) => {
    const values = scoreValues(asRisk(risk))
    const said = roundTrip(ALL, { ...score, ...values })
    expect(said).toEqual({ ...score, deepfakeRiskBps: values.deepfakeRiskBps, deepfakeRiskScore, authenticityScore })
  })

  it('whole percentages are never more than half a percent off, at every basis point', () => {
    const profile = fieldsOf('uint8 deepfakeRiskScore,uint8 authenticityScore')
    const wrong = Array.from({ length: 10_001 }, (_, bps) => scoreValues(riskOfBasisPoints(bps))).filter((values) => {
      const said = readAttestedScore(profile, carrying(encodeScore(profile, { ...score, ...values })))
      const risk = Math.abs(Number(said.deepfakeRiskScore) - values.deepfakeRiskScore)
      return risk > 0.5 || Math.abs(Number(said.authenticityScore) - values.authenticityScore) > 0.5
    })
    expect(wrong).toEqual([])
  })

  it('an asset id in a bytes32 is itself in hex, else the hash of its text', () => {
    const hash = `0x${'5c'.repeat(32)}`
    expect(roundTrip('bytes32 assetId', { ...score, assetId: hash })).toEqual({ assetId: hash })
    const expected = keccak256(stringToBytes('ключ 1'))
    expect(roundTrip('bytes32 assetId', { ...score, assetId: 'ключ 1' })).toEqual({ assetId: expected })
  })

  it.each<[keyof AttestedScore, unknown, RegExp]>([
    ['deepfakeRiskBps', -1, /deepfakeRiskBps is not a whole number from 0 to 10000/],
    ['deepfakeRiskBps', 10_001, /deepfakeRiskBps is not/],
    ['deepfakeRiskBps', 57.5, /deepfakeRiskBps is not/],
    ['deepfakeRiskBps', Number.NaN, /deepfakeRiskBps is not/],
    ['deepfakeRiskScore', 57.32, /deepfakeRiskScore is not deepfakeRiskBps as a percentage/],
    ['deepfakeRiskScore', Number.NaN, /deepfakeRiskScore is not/],
    ['authenticityScore', 57.31, /authenticityScore is not 100 less the risk/],
    ['contentHash', 'ab'.repeat(32), /contentHash is not 32 bytes in hex/],
    ['contentHash', `0x${'ab'.repeat(31)}`, /contentHash is not 32 bytes in hex/],
    ['contentHash', `0x${'zz'.repeat(32)}`, /contentHash is not 32 bytes in hex/],
  ])('is not created with %s %s', (field, value, message) => {
    expect(() => encodeScore(fieldsOf(ALL), { ...score, [field]: value })).toThrow(refused(message))
  })
})

describe('data from outside', () => {
  const encoded = encodeScore(fieldsOf(ALL), score)

  it.each<[string, string, Hex]>([
    ['nothing', ALL, '0x'],
    ['half of it', ALL, encoded.slice(0, 2 + 320) as Hex],
    ['a word more', ALL, `${encoded}${'00'.repeat(32)}`],
    ['a byte more', ALL, `${encoded}00`],
    ['another schema', 'string notes', encoded],
    ['an offset beyond the end', 'string notes', `0x${'ff'.repeat(32)}`],
    ['an offset to itself', 'string notes', `0x${'00'.repeat(32)}`],
    ['a length of 2^255', 'string notes', `0x${'00'.repeat(31)}2080${'00'.repeat(31)}`],
    ['a uint16 with high bits', 'uint16 deepfakeRiskBps', `0x01${'00'.repeat(31)}`],
    ['text that is no UTF-8', 'string notes', encodeAbiParameters([{ type: 'bytes' }], ['0xff'])],
    ['padding that is not zero', 'string notes', `0x${'00'.repeat(31)}20${'00'.repeat(31)}0161${'11'.repeat(31)}`],
  ])('is refused: %s', (_, schema, data) => {
    expect(() => read(schema, data)).toThrow(refused(/data is not the ABI encoding of what its schema names/))
  })

  it.each([
    ['uint16 deepfakeRiskBps', 10_001n, /deepfakeRiskBps in data is more than 10000/],
    ['uint256 deepfakeRiskBps', 2n ** 255n, /deepfakeRiskBps in data is more than/],
    ['uint8 authenticityScore', 101n, /authenticityScore in data is more than 100/],
    ['uint8 deepfakeRiskScore', 255n, /deepfakeRiskScore in data is more than 100/],
  ])('is refused: %s of %i', (schema, value, message) => {
    const data = encodeAbiParameters(parseSchema(schema), [value])
    expect(() => read(schema, data)).toThrow(refused(message))
  })

  it.each<[keyof AttestedScore, Partial<AttestedScore>]>([
    ['assetId', { assetId: 'asset-2' }],
    ['contentHash', { contentHash: `0x${'00'.repeat(32)}` }],
    ['deepfakeRiskBps', scoreValues(asRisk(0.5732))],
    ['algorithm', { algorithm: 'other' }],
    ['notes', { notes: '' }],
  ])('is distinguished from a score with another %s', (field, change) => {
    const profile = fieldsOf(ALL)
    expect(() => checkAttestedScore(profile, carrying(encoded), score)).not.toThrow()
    const message = new RegExp(`${field} in data is not that of the score`)
    expect(() => checkAttestedScore(profile, carrying(encoded), { ...score, ...change })).toThrow(refused(message))
  })
})
