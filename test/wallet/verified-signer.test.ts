import { type Hex, recoverMessageAddress, recoverTypedDataAddress } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import { AttestdError } from '../../src/core/errors.js'
import type { Signer } from '../../src/wallet/signer.js'
import { verifiedSigner } from '../../src/wallet/verified-signer.js'
import { mirrored } from '../support/privy-stub.js'
import { TYPED_DATA } from './typed-data.js'

const account = privateKeyToAccount(generatePrivateKey())
const SECRET_TEXT = 'a text that no error may hold'

/** A wallet that does something to its signatures. */
function altered(alter: (signature: Hex) => unknown): Signer {
  return verifiedSigner({
    address: account.address,
    signMessage: async (message) => alter(await account.signMessage(message)) as Hex,
    signTypedData: async (typedData) => alter(await account.signTypedData(typedData)) as Hex,
  })
}

const withV = (v: string) => (signature: Hex) => signature.slice(0, -2) + v
const withR = (r: string) => (signature: Hex) => `0x${r}${signature.slice(66)}`
const withS = (s: string) => (signature: Hex) => `${signature.slice(0, 66)}${s}${signature.slice(-2)}`
const ORDER = 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141'

describe('a verified signer', () => {
  it('returns text and typed data signatures that recover to its address', async () => {
    const signer = verifiedSigner(account)
    const message = { raw: '0x00ff' } as const
    for (const one of [SECRET_TEXT, message]) {
      const signature = await signer.signMessage({ message: one })
      expect(await recoverMessageAddress({ message: one, signature })).toBe(account.address)
    }
    const signature = await signer.signTypedData(TYPED_DATA)
    expect(await recoverTypedDataAddress({ ...TYPED_DATA, signature })).toBe(account.address)
  })

  it('offers nothing that signs transactions or bare hashes', () => {
    expect(Object.keys(verifiedSigner(account)).toSorted()).toEqual(['address', 'signMessage', 'signTypedData'])
  })

  it('states its address with the checksum, however it was given', () => {
    const lower = { ...account, address: account.address.toLowerCase() as Hex }
    expect(verifiedSigner(lower).address).toBe(account.address)
  })

  it('converts v of 0 and 1 to the form of contracts', async () => {
    const low = altered((signature) => withV(signature.endsWith('1b') ? '00' : '01')(signature))
    const plain = await verifiedSigner(account).signMessage({ message: SECRET_TEXT })
    expect(await low.signMessage({ message: SECRET_TEXT })).toBe(plain)
    expect(
      await altered((signature) => signature.toUpperCase().replace('0X', '0x')).signMessage({ message: SECRET_TEXT }),
    ).toBe(plain)
  })

  it.each<[string, (signature: Hex) => unknown]>([
    ['s in the upper half', mirrored],
    ['another v', withV('1d')],
    ['v of EIP-155', withV('25')],
    ['v flipped', (signature) => withV(signature.endsWith('1b') ? '1c' : '1b')(signature)],
    ['r of zero', withR('0'.repeat(64))],
    ['r of the order', withR(ORDER)],
    ['r that is not on the curve', withR(`${'0'.repeat(63)}5`)],
    ['s of zero', withS('0'.repeat(64))],
    ['s of the order', withS(ORDER)],
    ['64 bytes', (signature) => signature.slice(0, -2)],
    ['66 bytes', (signature) => `${signature}00`],
    ['no 0x', (signature) => signature.slice(2)],
    ['no hex', () => `0x${'g'.repeat(130)}`],
    ['nothing', () => undefined],
    ['bytes', () => new Uint8Array(65)],
  ])('refuses a signature with %s', async (_, alter) => {
    const signer = altered(alter)
    const signings = [() => signer.signMessage({ message: SECRET_TEXT }), () => signer.signTypedData(TYPED_DATA)]
    for (const sign of signings) {
      const error = await sign().catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(AttestdError)
      expect(error).toMatchObject({ reason: 'signature-wrong' })
      expect(error).not.toHaveProperty('cause')
      expect((error as AttestdError).message).not.toContain(SECRET_TEXT)
    }
  })

  it('refuses a signature of another key, and one of another content', async () => {
    const other = privateKeyToAccount(generatePrivateKey())
    const signer = verifiedSigner({ ...other, address: account.address })
    await expect(signer.signMessage({ message: 'x' })).rejects.toMatchObject({ reason: 'signature-wrong' })
    await expect(signer.signTypedData(TYPED_DATA)).rejects.toMatchObject({ reason: 'signature-wrong' })
    const elsewhere = verifiedSigner({ ...account, signMessage: () => account.signMessage({ message: 'y' }) })
    await expect(elsewhere.signMessage({ message: 'x' })).rejects.toMatchObject({ reason: 'signature-wrong' })
  })

  it('what cannot be encoded is not signed, and not repeated', async () => {
    let asked = 0
    const signer = verifiedSigner({
      ...account,
      signTypedData: (typedData) => {
        asked++
        return account.signTypedData(typedData)
      },
    })
    const broken = { ...TYPED_DATA, message: { ...TYPED_DATA.message, recipient: `0x${SECRET_TEXT}` } }
    const error = (await signer.signTypedData(broken as never).catch((thrown: unknown) => thrown)) as AttestdError
    expect(error).toMatchObject({ reason: 'request-invalid' })
    expect(error).not.toHaveProperty('cause')
    expect(error.message).not.toContain(SECRET_TEXT)
    expect(asked).toBe(0)
  })

  it.each(['84532', '0x14a34', null])(
    'a chain id of %j, which would be left out of the hash, is not signed',
    async (chainId) => {
      const signer = verifiedSigner(account)
      const loose = { ...TYPED_DATA, domain: { ...TYPED_DATA.domain, chainId } }
      await expect(signer.signTypedData(loose as never)).rejects.toMatchObject({ reason: 'request-invalid' })
      const big = { ...TYPED_DATA, domain: { ...TYPED_DATA.domain, chainId: 84_532n } }
      expect(await signer.signTypedData(big)).toBe(await signer.signTypedData(TYPED_DATA))
    },
  )

  it("passes on a wallet's own rejection, and hides errors of a library", async () => {
    const refusal = new AttestdError('wallet-refused')
    const refusing = verifiedSigner({ ...account, signMessage: () => Promise.reject(refusal) })
    await expect(refusing.signMessage({ message: 'x' })).rejects.toBe(refusal)
    const broken = verifiedSigner({ ...account, signMessage: () => Promise.reject(new RangeError(SECRET_TEXT)) })
    const error = (await broken.signMessage({ message: 'x' }).catch((thrown: unknown) => thrown)) as AttestdError
    expect(error).toMatchObject({ reason: 'internal-error', facts: { error: 'RangeError' } })
    expect(error).not.toHaveProperty('cause')
    expect(error.message).not.toContain(SECRET_TEXT)
  })
})
