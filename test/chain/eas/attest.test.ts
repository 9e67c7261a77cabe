import { type Hex, parseSignature, recoverAddress, serializeSignature, zeroAddress, zeroHash } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import { type AttestationSigner, attestData, attestScore } from '../../../src/chain/eas/attest.js'
import { schemaUidOf } from '../../../src/chain/eas/schema.js'
import { attestationHash } from '../../../src/chain/eas/typed-data.js'
import { verifyAttestation } from '../../../src/chain/eas/verify.js'
import type { OffchainAttestation } from '../../../src/chain/eas/wire.js'
import { profileOf, readEasVectors, saltOf } from '../../support/eas-vectors.js'
import { mirrored } from '../../support/privy-stub.js'
import { withReason } from '../../support/with-reason.js'

const vector = readEasVectors()[0]!
const profile = profileOf(vector)
const account = privateKeyToAccount(vector.privateKey)
const stranger = privateKeyToAccount(`0x${'07'.repeat(32)}`)

/** A wallet whose signatures come back changed. */
const signerThat = (change: (signature: Hex) => string): AttestationSigner => ({
  address: account.address,
  signTypedData: async (typedData) => change(await account.signTypedData(typedData)) as Hex,
})
const attest = (signer: AttestationSigner, time = vector.time) =>
  attestScore(profile, signer, vector.score, time, saltOf(vector))

const signatureOf = ({ signature: { r, s, v } }: OffchainAttestation) => serializeSignature({ r, s, v: BigInt(v) })

const withV = (v: string) => (signature: Hex) => `${signature.slice(0, -2)}${v}`
const withOwnV = (from: number) => (signature: Hex) => {
  const { yParity } = parseSignature(signature)
  return withV((from + yParity).toString(16).padStart(2, '0'))(signature)
}

describe('attesting a score', () => {
  it('has no recipient, no reference and no expiry, and can be revoked', async () => {
    const { message } = await attest(account)
    expect(message).toMatchObject({ recipient: zeroAddress, refUID: zeroHash, revocable: true, expirationTime: '0' })
    expect(message.time).toBe(String(vector.time))
  })

  it.each([
    ['0 and 1', 0],
    ['27 and 28', 27],
  ])('a wallet may count v as %s', async (_, from) => {
    expect(await attest(signerThat(withOwnV(from)))).toEqual(vector.attestation)
  })

  it('a wallet may write hex in upper case', async () => {
    expect(await attest(signerThat((text) => `0x${text.slice(2).toUpperCase()}`))).toEqual(vector.attestation)
  })

  it.each<[string, (signature: Hex) => string, RegExp]>([
    ['the one with the high s', mirrored, /upper half of the order/],
    ['the v of the other key', withV(vector.attestation.signature.v === 27 ? '1c' : '1b'), /is by 0x.*, not by 0x/],
    ['v 2', withV('02'), /not 65 bytes/],
    ['v 29', withV('1d'), /not 65 bytes/],
    ['v of EIP-155', withV('25'), /not 65 bytes/],
    ['nothing', () => '0x', /not 65 bytes/],
    ['64 bytes', (text) => text.slice(0, -2), /not 65 bytes/],
    ['66 bytes', (text) => `${text}00`, /not 65 bytes/],
    ['no hex', (text) => text.replace(/^0x./, '0xg'), /not 65 bytes/],
    ['r of 0', (text) => `0x${'00'.repeat(32)}${text.slice(66)}`, /does not recover to a signer/],
    ['s of 0', (text) => `${text.slice(0, 66)}${'00'.repeat(32)}${text.slice(-2)}`, /does not recover to a signer/],
    ['r beyond the order', (text) => `0x${'ff'.repeat(32)}${text.slice(66)}`, /does not recover to a signer/],
    ['a bit changed', (text) => text.replace(/.(?=.{70}$)/, (bit) => (bit === '0' ? '1' : '0')), /is by 0x|a signer/],
  ])('a signature that is rejected: %s', async (_, change, message) => {
    await expect(attest(signerThat(change))).rejects.toThrow(withReason('signature-wrong', message))
  })

  it('wallets get the chain id as a number, because a text would be left out of the hash', async () => {
    let asked: Parameters<AttestationSigner['signTypedData']>[0] | undefined
    const signer: AttestationSigner = {
      address: account.address,
      signTypedData: (typedData) => {
        asked = typedData as unknown as typeof asked
        return account.signTypedData(typedData)
      },
    }
    const made = await attest(signer)
    const asText = { ...made, domain: { ...made.domain, chainId: '1' } }
    expect(asked?.domain?.chainId).toBe(84532)
    expect(attestationHash(asText)).not.toBe(vector.hash)
  })

  it.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])('the time is not %d', async (time) => {
    await expect(attest(account, time)).rejects.toThrow(withReason('attestation-invalid', 'whole Unix seconds'))
  })

  it('errors of the wallet are passed on', async () => {
    const signTypedData = () => Promise.reject(new Error('locked'))
    await expect(attest({ address: account.address, signTypedData })).rejects.toThrow('locked')
  })

  it('data of another schema is signed the same way, and the signature is verified', async () => {
    const other = { ...profile, schemaUid: schemaUidOf('bytes32 contentHash,string uri') }
    const made = await attestData(other, account, '0xabcd', vector.time, saltOf(vector))
    expect(made.message).toMatchObject({ schema: other.schemaUid, data: '0xabcd' })
    expect(await recoverAddress({ hash: attestationHash(made), signature: signatureOf(made) })).toBe(account.address)
    const byStranger = { address: account.address, signTypedData: stranger.signTypedData }
    const attempt = attestData(other, byStranger, '0xabcd', vector.time, saltOf(vector))
    await expect(attempt).rejects.toMatchObject({ reason: 'signature-wrong' })
  })

  it('two attestations of one score differ by their salt', async () => {
    const chance = (byte: number) => ({ randomBytes: (length: number) => new Uint8Array(length).fill(byte) })
    const one = await attestScore(profile, account, vector.score, vector.time, chance(1))
    const two = await attestScore(profile, account, vector.score, vector.time, chance(2))
    expect(one.uid).not.toBe(two.uid)
    const verified = await verifyAttestation(two, { profile, attester: account.address, now: vector.time })
    expect(verified.uid).toBe(two.uid)
  })
})
