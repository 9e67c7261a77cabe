import { describe, expect, it } from 'vitest'
import { easProfile } from '../../../src/chain/eas/profile.js'
import { parseSchema, schemaUidOf } from '../../../src/chain/eas/schema.js'
import { chainSettings } from '../../../src/config/chain-settings.js'
import { withReason } from '../../support/with-reason.js'

const options = {
  chainId: 84532,
  contract: '0x4200000000000000000000000000000000000021',
  domainVersion: '',
  attestationVersion: 2,
  schema: chainSettings.easSchema.fallback ?? '',
  schemaUid: null,
} as const

const refused = (message: RegExp) => withReason('setting-invalid', message)

describe('the profile', () => {
  it.each([
    [84532, '1.2.0'],
    [8453, '1.0.1'],
  ])('of chain %i has its own domain version', (chainId, domainVersion) => {
    expect(easProfile({ ...options, chainId })).toMatchObject({ chainId, domainVersion })
  })

  it('uses a given domain version', () => {
    expect(easProfile({ ...options, chainId: 31337, domainVersion: '1.4.0' }).domainVersion).toBe('1.4.0')
  })

  it('uses a given schema uid, in lower case', () => {
    expect(easProfile({ ...options, schemaUid: `0x${'AB'.repeat(32)}` }).schemaUid).toBe(`0x${'ab'.repeat(32)}`)
    expect(easProfile(options).schemaUid).toBe(schemaUidOf(options.schema))
    expect(schemaUidOf(`${options.schema} `)).not.toBe(schemaUidOf(options.schema))
  })

  it('has the contract with its checksum', () => {
    // The example of EIP-55.
    const checksummed = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
    const contract = checksummed.toLowerCase() as typeof checksummed
    expect(easProfile({ ...options, contract }).contract).toBe(checksummed)
  })
})

describe('the schema', () => {
  it('is read in its order', () => {
    expect(parseSchema('  uint deepfakeRiskBps ,string   notes,bytes32 assetId')).toEqual([
      { type: 'uint256', name: 'deepfakeRiskBps' },
      { type: 'string', name: 'notes' },
      { type: 'bytes32', name: 'assetId' },
    ])
  })

  it.each([
    'uint16 deepfakeRiskBps',
    'uint256 deepfakeRiskBps',
    'uint8 deepfakeRiskScore',
    'uint8 authenticityScore',
    'bytes32 contentHash',
    'string contentHash',
    'bytes32 assetId',
    'string algorithm',
  ])('accepts %s', (schema) => {
    expect(parseSchema(schema)).toHaveLength(1)
  })

  it.each([
    ['', /"" is not a Solidity type and one of the names assetId/],
    ['string', /"string" is not/],
    ['string score', /"string score" is not/],
    ['string assetId,', /"" is not/],
    ['string assetId,,string notes', /"" is not/],
    ['assetId string', /"assetId string" is not/],
    ['string[] notes', /is not a Solidity type/],
    ['tuple(string notes) notes', /is not a Solidity type/],
    ['string constructor', /is not a Solidity type/],
    ['string __proto__', /is not a Solidity type/],
    ['string notes,string notes', /notes is in it twice/],
    ['uint8 deepfakeRiskBps', /deepfakeRiskBps is a uint8, which must be uint16 or a larger uint/],
    ['uint17 deepfakeRiskBps', /must be uint16/],
    ['uint264 deepfakeRiskBps', /must be uint16/],
    ['uint0 deepfakeRiskBps', /must be uint16/],
    ['int16 deepfakeRiskBps', /must be uint16/],
    ['string deepfakeRiskBps', /must be uint16/],
    ['bytes32 authenticityScore', /must be uint8/],
    ['uint256 assetId', /must be string or bytes32/],
    ['bytes contentHash', /must be string or bytes32/],
    ['bytes32 notes', /notes is a bytes32, which must be string/],
    ['bytes32 algorithm', /must be string/],
    [`string ${'x'.repeat(10_000)}`, /^.{0,300}$/],
  ])('refuses %s', (schema, message) => {
    expect(() => parseSchema(schema)).toThrow(refused(message))
    expect(() => parseSchema(schema)).toThrow(expect.objectContaining({ fix: 'Correct ATTESTD_EAS_SCHEMA.' }))
  })
})
