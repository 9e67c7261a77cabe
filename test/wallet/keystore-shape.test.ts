import { describe, expect, it } from 'vitest'
import { keystoreShape } from '../../src/wallet/keystore-shape.js'

const SCRYPT = { dklen: 32, salt: 'ab'.repeat(32), n: 1024, r: 8, p: 1 }
const PBKDF2 = { dklen: 32, salt: 'ab'.repeat(32), c: 262_144, prf: 'hmac-sha256' }
const CIPHER = {
  cipher: 'aes-128-ctr',
  cipherparams: { iv: '00'.repeat(16) },
  ciphertext: '11'.repeat(32),
  mac: '22'.repeat(32),
}

const keystore = (kdf: string, kdfparams: object, change: object = {}) => ({
  version: 3,
  crypto: { ...CIPHER, kdf, kdfparams, ...change },
})
const isTaken = (file: unknown) => keystoreShape.safeParse(file).success
const MIB = 1024 ** 2

describe('the cost of opening a keystore', () => {
  it.each([
    ['memory of 512 MiB', { n: (512 * MIB) / (128 * 8), r: 8 }, true],
    ['twice that', { n: (1024 * MIB) / (128 * 8), r: 8 }, false],
    ['4096 blocks at one go', { n: 2, r: 8, p: 512 }, true],
    ['one more', { n: 2, r: 1, p: 4097 }, false],
    ['more by both together', { n: 2, r: 64, p: 65 }, false],
    ['eight times the work of geth', { n: 2 ** 18, r: 8, p: 8 }, true],
    ['nine times', { n: 2 ** 18, r: 8, p: 9 }, false],
    ['the least that is any', { n: 2, r: 1, p: 1 }, true],
    ['none', { n: 1, r: 1, p: 1 }, false],
    ['lanes of zero', { p: 0 }, false],
    ['blocks of zero', { r: 0 }, false],
    ['no power of two', { n: 1025 }, false],
    ['negative lanes', { p: -1 }, false],
    ['half a block', { r: 1.5 }, false],
    ['what is beyond numbers', { n: 1e308, r: 1e308, p: 1e308 }, false],
  ])('scrypt with %s: %j is accepted: %s', (_, change, taken) => {
    expect(isTaken(keystore('scrypt', { ...SCRYPT, ...change }))).toBe(taken)
  })

  it.each([
    [1, true],
    [10_000_000, true],
    [10_000_001, false],
    [0, false],
    [1.5, false],
  ])('PBKDF2 with %d rounds is accepted: %s', (c, taken) => {
    expect(isTaken(keystore('pbkdf2', { ...PBKDF2, c }))).toBe(taken)
  })
})

describe('required fields of a keystore', () => {
  it.each<[string, object]>([
    ['another derivation', keystore('argon2id', SCRYPT)],
    ['the parameters of the other derivation', keystore('pbkdf2', SCRYPT)],
    ['another cipher', keystore('scrypt', SCRYPT, { cipher: 'aes-128-cbc' })],
    ['odd hex', keystore('scrypt', SCRYPT, { mac: 'abc' })],
    ['an older version', { ...keystore('scrypt', SCRYPT), version: 1 }],
    ['another hash', keystore('pbkdf2', { ...PBKDF2, prf: 'hmac-sha512' })],
    ['a longer key', keystore('scrypt', { ...SCRYPT, dklen: 64 })],
    ['no salt', keystore('scrypt', { ...SCRYPT, salt: '' })],
    ['a salt of 129 bytes', keystore('scrypt', { ...SCRYPT, salt: '00'.repeat(129) })],
    ['an iv of 15 bytes', keystore('scrypt', SCRYPT, { cipherparams: { iv: '00'.repeat(15) } })],
    ['a mac of 33 bytes', keystore('scrypt', SCRYPT, { mac: '00'.repeat(33) })],
    ['a key of 31 bytes', keystore('scrypt', SCRYPT, { ciphertext: '00'.repeat(31) })],
    ['an address of 19 bytes', { ...keystore('scrypt', SCRYPT), address: '00'.repeat(19) }],
    ['the version as text', { ...keystore('scrypt', SCRYPT), version: '3' }],
  ])('%s is refused', (_, file) => {
    expect(isTaken(file)).toBe(false)
  })

  it('hex is read with and without 0x, in any case', () => {
    const file = { ...keystore('scrypt', { ...SCRYPT, salt: '0xAB' }), address: `0x${'Ab'.repeat(20)}` }
    expect(keystoreShape.parse(file)).toMatchObject({
      address: 'ab'.repeat(20),
      crypto: { kdfparams: { salt: 'ab' } },
    })
  })

  it('crypto overrides Crypto where a file has both', () => {
    const { crypto, version } = keystore('scrypt', SCRYPT)
    expect(isTaken({ version, crypto, Crypto: {} })).toBe(true)
    expect(isTaken({ version, crypto: {}, Crypto: crypto })).toBe(false)
  })
})
