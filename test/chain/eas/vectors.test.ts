import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import { attestScore } from '../../../src/chain/eas/attest.js'
import { encodeScore, readAttestedScore } from '../../../src/chain/eas/score-data.js'
import { attestationHash, attestationUid } from '../../../src/chain/eas/typed-data.js'
import { verifyAttestation } from '../../../src/chain/eas/verify.js'
import { parseAttestation } from '../../../src/chain/eas/wire.js'
import { type EasVector, profileOf, readEasVectors, saltOf } from '../../support/eas-vectors.js'

const vectors = readEasVectors()
const read = new Set<string>()

async function checkMaking(vector: EasVector) {
  const profile = profileOf(vector)
  const signer = privateKeyToAccount(vector.privateKey)
  expect(profile.schemaUid).toBe(vector.schemaUid)
  expect(encodeScore(profile, vector.score)).toBe(vector.attestation.message.data)
  const made = await attestScore(profile, signer, vector.score, vector.time, saltOf(vector))
  expect(made).toEqual(vector.attestation)
  expect(JSON.parse(JSON.stringify(made))).toEqual(made)
  expect(attestationHash(made)).toBe(vector.hash)
  expect(attestationUid(made)).toBe(vector.attestation.uid)
}

async function checkReading(vector: EasVector) {
  const profile = profileOf(vector)
  const attestation = parseAttestation(vector.attestation)
  const verified = await verifyAttestation(attestation, { profile, attester: vector.attester, now: vector.time })
  expect(verified).toMatchObject({ uid: vector.attestation.uid, time: vector.time })
  expect(verified.score).toEqual(readAttestedScore(profile, attestation))
  expect(Object.keys(verified.score)).toEqual(profile.fields.map(({ name }) => name))
  for (const { name, type } of profile.fields) {
    const said = verified.score[name]
    if (type === 'string' || name === 'contentHash' || name === 'deepfakeRiskBps') expect(said).toBe(vector.score[name])
    else if (type.startsWith('uint'))
      expect(Math.abs(Number(said) - Number(vector.score[name]))).toBeLessThanOrEqual(0.5)
    else expect(said).toMatch(/^0x[0-9a-f]{64}$/)
  }
}

describe('attestations of the EAS SDK', () => {
  it.each(vectors)('$name: created identically, to the last byte of the signature', async (vector) => {
    read.add(`${vector.name} made`)
    await checkMaking(vector)
  })

  it.each(vectors)('$name: accepted and read', async (vector) => {
    read.add(`${vector.name} read`)
    await checkReading(vector)
  })

  it('were all read, on both chains, in both versions', () => {
    expect([...read].sort()).toEqual(vectors.flatMap(({ name }) => [`${name} made`, `${name} read`]).sort())
    const kinds = new Set(vectors.map(({ chainId, attestationVersion }) => `${chainId} v${attestationVersion}`))
    expect([...kinds].sort()).toEqual(['8453 v1', '8453 v2', '84532 v1', '84532 v2'])
    expect(vectors.some(({ score }) => /\P{ASCII}/u.test(score.notes))).toBe(true)
  })
})
