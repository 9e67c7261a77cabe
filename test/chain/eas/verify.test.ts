import type { Address, Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import { easProfile } from '../../../src/chain/eas/profile.js'
import { splitSignature } from '../../../src/chain/eas/signature.js'
import { attestationUid, typedDataOf } from '../../../src/chain/eas/typed-data.js'
import { verifyAttestation } from '../../../src/chain/eas/verify.js'
import type { OffchainAttestation } from '../../../src/chain/eas/wire.js'
import { parseAttestation } from '../../../src/chain/eas/wire.js'
import { AttestdError } from '../../../src/core/errors.js'
import { profileOf, readEasVectors } from '../../support/eas-vectors.js'

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const OTHER_ADDRESS: Address = '0x00000000000000000000000000000000000000AA'
const OTHER_HASH: Hex = `0x${'5c'.repeat(32)}`

const vectors = readEasVectors()
const vector = vectors[0]!
const profile = profileOf(vector)
const account = privateKeyToAccount(vector.privateKey)
const good = parseAttestation(vector.attestation)

type Change = (attestation: OffchainAttestation) => OffchainAttestation
const inMessage =
  (change: Partial<OffchainAttestation['message']>): Change =>
  (each) => ({ ...each, message: { ...each.message, ...change } })
const inDomain =
  (change: Partial<OffchainAttestation['domain']>): Change =>
  (each) => ({ ...each, domain: { ...each.domain, ...change } })
const inSignature =
  (change: Partial<OffchainAttestation['signature']>): Change =>
  (each) => ({ ...each, signature: { ...each.signature, ...change } })

/** The attestation with uid and signature made again, so that nothing but what it says can be wrong. */
async function signedAgain(attestation: OffchainAttestation): Promise<OffchainAttestation> {
  const signature = splitSignature(await account.signTypedData(typedDataOf(attestation)))!
  return { ...attestation, uid: attestationUid(attestation), signature }
}

const verify = (attestation: OffchainAttestation, options: Partial<Parameters<typeof verifyAttestation>[1]> = {}) =>
  verifyAttestation(attestation, { profile, attester: vector.attester, now: vector.time, ...options })
const refused = (message: RegExp) => ({ reason: 'attestation-invalid', message })

/** What comes of JSON from outside; anything but a named refusal is an outcome of its own. */
async function judge(json: string): Promise<string> {
  try {
    await verify(parseAttestation(JSON.parse(json)))
    return 'accepted'
  } catch (error) {
    if (error instanceof SyntaxError) return 'refused'
    return error instanceof AttestdError && error.reason === 'attestation-invalid' ? 'refused' : String(error)
  }
}

const { s, v } = good.signature
const highS: Hex = `0x${(ORDER - BigInt(s)).toString(16).padStart(64, '0')}`
const fields = good.types.Attest!

describe('verifying an attestation', () => {
  it('gives what was said and when', async () => {
    const { assetId, contentHash, deepfakeRiskBps, algorithm } = vector.score
    expect(await verify(good)).toEqual({
      uid: vector.attestation.uid,
      time: vector.time,
      score: { assetId, contentHash, deepfakeRiskBps, algorithm },
    })
  })

  it.each<[string, Change, RegExp]>([
    ['the version', (each) => ({ ...each, version: 1 }), /version is not 2/],
    ['the version of the message', inMessage({ version: 1 }), /message.version is not 2/],
    ['the name of the domain', inDomain({ name: 'EAS' }), /domain.name is not EAS Attestation/],
    ['the version of the domain', inDomain({ version: '1.2.1' }), /domain.version is not 1.2.0/],
    ['the chain', inDomain({ chainId: '8453' }), /domain.chainId is not 84532/],
    ['the contract', inDomain({ verifyingContract: OTHER_ADDRESS }), /domain.verifyingContract is not 0x42/],
    ['the primary type', (each) => ({ ...each, primaryType: 'Attestation' }), /primaryType is not Attest/],
    ['a type less', (each) => ({ ...each, types: { Attest: fields.slice(1) } }), /types are not those of version 2/],
    ['a type more', (each) => ({ ...each, types: { Attest: [...fields, fields[0]!] } }), /types are not/],
    ['the order of types', (each) => ({ ...each, types: { Attest: fields.toReversed() } }), /types are not/],
    ['a type', (each) => ({ ...each, types: { Attest: fields.with(0, { name: 'version', type: 'uint8' }) } }), /types/],
    [
      'the name of a type',
      (each) => ({ ...each, types: { Attest: fields.with(0, { name: 'v', type: 'uint16' }) } }),
      /types/,
    ],
    ['a struct more', (each) => ({ ...each, types: { ...each.types, Other: [] } }), /types are not/],
    ['the schema', inMessage({ schema: OTHER_HASH }), /schema is not 0x/],
    ['the uid', (each) => ({ ...each, uid: OTHER_HASH }), /uid is not that of its message/],
    ['the recipient', inMessage({ recipient: OTHER_ADDRESS }), /uid is not/],
    ['the time', inMessage({ time: '1' }), /uid is not/],
    ['the expiry', inMessage({ expirationTime: '1' }), /uid is not/],
    ['whether it can be revoked', inMessage({ revocable: false }), /uid is not/],
    ['the reference', inMessage({ refUID: OTHER_HASH }), /uid is not/],
    ['the data', inMessage({ data: '0x' }), /uid is not/],
    ['the salt', inMessage({ salt: OTHER_HASH }), /uid is not/],
    ['r', inSignature({ r: OTHER_HASH }), /signature (is by 0x|does not recover to a signer)/],
    ['s', inSignature({ s: `0x${'11'.repeat(32)}` }), /signature (is by 0x|does not recover to a signer)/],
    ['v', inSignature({ v: v === 27 ? 28 : 27 }), /signature is by 0x/],
    ['v to 0', inSignature({ v: v - 27 }), /signature has a v that is not 27 or 28/],
    ['the signature to its high s', inSignature({ s: highS, v: v === 27 ? 28 : 27 }), /upper half of the order/],
  ])('refuses a change of %s', async (_, change, message) => {
    await expect(verify(change(good))).rejects.toMatchObject(refused(message))
  })

  it.each<[string, Change, RegExp]>([
    ['data of another schema', inMessage({ data: '0x' }), /data is not the ABI encoding/],
    ['an expiry in the past', inMessage({ expirationTime: String(vector.time - 1) }), /expirationTime has passed/],
    ['an expiry now', inMessage({ expirationTime: String(vector.time) }), /expirationTime has passed/],
  ])('refuses %s although the signature is valid', async (_, change, message) => {
    await expect(verify(await signedAgain(change(good)))).rejects.toMatchObject(refused(message))
  })

  it.each<[string, Change]>([
    ['an expiry to come', inMessage({ expirationTime: String(vector.time + 1) })],
    ['a recipient', inMessage({ recipient: OTHER_ADDRESS })],
    ['a reference', inMessage({ refUID: OTHER_HASH })],
    ['no way to revoke it', inMessage({ revocable: false })],
  ])('accepts %s', async (_, change) => {
    const attestation = await signedAgain(change(good))
    expect(await verify(attestation)).toMatchObject({ uid: attestation.uid })
  })

  it('refuses a signature by another wallet', async () => {
    await expect(verify(good, { attester: OTHER_ADDRESS })).rejects.toMatchObject(
      refused(new RegExp(`is by ${vector.attester}, not by ${OTHER_ADDRESS}`)),
    )
  })

  it('needs a salt in version 2 and none in version 1', async () => {
    const { salt: _salt, ...message } = good.message
    await expect(verify({ ...good, message })).rejects.toMatchObject(refused(/salt must be there in version 2/))
    const first = vectors.find(({ attestationVersion }) => attestationVersion === 1)!
    const salted = inMessage({ salt: OTHER_HASH })(parseAttestation(first.attestation))
    const options = { profile: profileOf(first), attester: first.attester }
    await expect(verify(salted, options)).rejects.toMatchObject(refused(/only there/))
  })

  it('refuses any changed character of its JSON', async () => {
    const text = JSON.stringify(good)
    const accepted: string[] = []
    for (let index = 0; index < text.length; index++) {
      const changed = `${text.slice(0, index)}${text[index] === '0' ? '1' : '0'}${text.slice(index + 1)}`
      const outcome = await judge(changed)
      if (outcome !== 'refused') accepted.push(`${outcome}: ${changed.slice(Math.max(0, index - 20), index + 20)}`)
    }
    expect(accepted).toEqual([])
    expect(await judge(text)).toBe('accepted')
  })

  it('accepts a given schema uid for a schema with a resolver', async () => {
    const own = easProfile({ ...profile, schemaUid: OTHER_HASH })
    const attestation = await signedAgain(inMessage({ schema: OTHER_HASH })(good))
    expect(await verify(attestation, { profile: own })).toMatchObject({ uid: attestation.uid })
  })
})
