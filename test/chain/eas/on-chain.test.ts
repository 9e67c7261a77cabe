import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { attestScore } from '../../../src/chain/eas/attest.js'
import { parseAttestation } from '../../../src/chain/eas/wire.js'
import { systemClock } from '../../../src/core/clock.js'
import { anvil as binary } from '../../support/anvil.js'
import { type AnvilProcess, startAnvil } from '../../support/anvil-process.js'
import { profileOf, readEasVectors, saltOf } from '../../support/eas-vectors.js'
import { askVerifier, recoverOnChain } from '../../support/recover-on-chain.js'

const vectors = readEasVectors().filter(({ attestationVersion }) => attestationVersion === 2)
const plain = vectors[0]!

describe.skipIf(binary === null)('a verifier in Solidity, on a chain', () => {
  let anvil: AnvilProcess
  beforeAll(async () => {
    anvil = await startAnvil({ binary: binary!, chainId: 84532, clock: systemClock, keys: 0 })
  })
  afterAll(() => anvil?.stop())

  it.each(vectors)('$name: signer and uid match those of attestd', async (vector) => {
    const signer = privateKeyToAccount(vector.privateKey)
    const made = await attestScore(profileOf(vector), signer, vector.score, vector.time, saltOf(vector))
    expect(await recoverOnChain(anvil.rpcUrl, made)).toEqual({ signer: signer.address, uid: made.uid })
  })

  it('computes a uid that begins as no code of a contract may', async () => {
    const signer = privateKeyToAccount(plain.privateKey)
    const madeAt = (time: number) => attestScore(profileOf(plain), signer, plain.score, time, saltOf(plain))
    let made = await madeAt(plain.time)
    for (let time = plain.time; !made.uid.startsWith('0xef'); time++) made = await madeAt(time)
    expect(await recoverOnChain(anvil.rpcUrl, made)).toEqual({ signer: signer.address, uid: made.uid })
  })

  it('reads the data of the default schema', async () => {
    const { assetId, contentHash, deepfakeRiskBps, algorithm } = plain.score
    const said = await askVerifier(anvil.rpcUrl, 'readDefault', [plain.attestation.message.data])
    expect(said).toEqual([assetId, contentHash, deepfakeRiskBps, algorithm])
  })

  it('finds another signer once a word is changed', async () => {
    const attestation = parseAttestation(plain.attestation)
    const message = { ...attestation.message, time: String(plain.time + 1) }
    const { signer, uid } = await recoverOnChain(anvil.rpcUrl, { ...attestation, message })
    expect(signer).not.toBe(plain.attester)
    expect(uid).not.toBe(attestation.uid)
  })
})
