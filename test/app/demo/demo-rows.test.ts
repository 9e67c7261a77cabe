import { randomBytes } from 'node:crypto'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { beforeAll, describe, expect, it } from 'vitest'
import { attestedBy } from '../../../src/app/demo/demo-rows.js'
import { attestScore } from '../../../src/chain/eas/attest.js'
import { asRisk, scoreValues } from '../../../src/core/risk.js'
import { profileOf, readEasVectors } from '../../support/eas-vectors.js'

type Score = Parameters<typeof attestedBy>[2]

const [vector] = readEasVectors() as [ReturnType<typeof readEasVectors>[number]]
const profile = profileOf(vector)
const attester = privateKeyToAccount(generatePrivateKey())
const CONTENT_HASH = `0x${'ab'.repeat(32)}`
const CREATED_AT = Date.UTC(2026, 10, 22)

let score: Score
beforeAll(async () => {
  const said = { assetId: 'asset-1', contentHash: CONTENT_HASH, algorithm: 'tiny@1.0.0', notes: 'seen' }
  const values = scoreValues(asRisk(0.8765))
  const time = Math.floor(CREATED_AT / 1000)
  const attestation = await attestScore(profile, attester, { ...said, ...values }, time, { randomBytes })
  score = {
    ...said,
    ...values,
    attestation,
    attesterAddress: attester.address,
    createdAt: CREATED_AT,
  } as unknown as Score
})

describe('the attestation of a score', () => {
  it('that contains the score and the signature of its attester counts', async () => {
    expect(await attestedBy(profile, CONTENT_HASH, score)).toEqual({ uid: score.attestation?.uid, fault: null })
  })

  it.each<[string, Partial<Score>, RegExp]>([
    ['another risk', { deepfakeRiskScore: 87.66 }, /deepfakeRiskBps/],
    ['another asset', { assetId: 'asset-2' }, /assetId/],
    ['another detector', { algorithm: 'tiny@1.0.1' }, /algorithm/],
    ['another attester', { attesterAddress: `0x${'12'.repeat(20)}` }, /./],
  ])('of %s has a named fault, in addition to its uid', async (_, change, fault) => {
    const found = await attestedBy(profile, CONTENT_HASH, { ...score, ...change })
    expect(found.uid).toBe(score.attestation?.uid)
    expect(found.fault).toMatch(fault)
  })

  it('of other content has a named fault', async () => {
    expect((await attestedBy(profile, `0x${'cd'.repeat(32)}`, score)).fault).toMatch(/contentHash/)
  })

  it('that is missing has a named fault', async () => {
    const { attestation: _, ...without } = score
    expect(await attestedBy(profile, CONTENT_HASH, without as Score)).toEqual({ uid: null, fault: 'no attestation' })
  })
})
