import { execFileSync } from 'node:child_process'
import { createDecipheriv, randomBytes, scryptSync } from 'node:crypto'
import { existsSync } from 'node:fs'
import fs from 'node:fs/promises'
import path from 'node:path'
import { keccak256 } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import type { AttestdError } from '../../src/core/errors.js'
import { type CreateKeystoreOptions, createKeystore } from '../../src/wallet/create-keystore.js'
import { openKeystore } from '../../src/wallet/keystore.js'
import { folderForAll } from '../support/temporary-folder.js'
import vectors from '../vectors/keystores.json' with { type: 'json' }

const PASSWORD = 'correct horse battery'
/** By its place, since the suite runs with Node alone on the path. */
const MKFIFO = '/usr/bin/mkfifo'
const CHEAP = { n: 1024, r: 8, p: 1 }

interface KeystoreFile {
  readonly version: number
  readonly id: string
  readonly address: string
  readonly crypto: Readonly<Record<'cipher' | 'ciphertext' | 'kdf' | 'mac', string>> & {
    readonly cipherparams: { readonly iv: string }
    readonly kdfparams: { readonly salt: string; readonly n: number; readonly r: number; readonly p: number }
  }
}

const folder = folderForAll()
let made = 0

const newFile = () => path.join(folder, `keystore-${made++}.json`)

async function written(content: unknown, mode = 0o600): Promise<string> {
  const file = newFile()
  await fs.writeFile(file, typeof content === 'string' ? content : JSON.stringify(content), { mode })
  return file
}

function create(own: Partial<CreateKeystoreOptions> = {}) {
  const options = { file: newFile(), password: PASSWORD, random: randomBytes, cost: CHEAP, ...own }
  return { file: options.file, creating: createKeystore(options) }
}

async function refusal(opening: Promise<unknown>): Promise<AttestdError> {
  return opening.then(
    () => expect.unreachable('it was opened'),
    (error: AttestdError) => error,
  )
}

/** A keystore of a known key, cheap to open, as others may have written it. */
async function sample(): Promise<{ content: KeystoreFile; address: string }> {
  const { file, creating } = create()
  const address = await creating
  return { content: JSON.parse(await fs.readFile(file, 'utf8')), address }
}

it('a keystore appears only when complete, so that a kill leaves its place free', async () => {
  const seen: boolean[] = []
  const file = newFile()
  const random = (bytes: number) => {
    seen.push(existsSync(file))
    return randomBytes(bytes)
  }
  await create({ file, random }).creating
  expect(new Set(seen)).toEqual(new Set([false]))
  expect((await fs.readdir(folder)).filter((name) => name.startsWith(path.basename(file)))).toHaveLength(1)
})

describe('opening a keystore', () => {
  it.each(vectors.keystores)('$name', async ({ keystore, password }) => {
    const signer = await openKeystore(await written(keystore), password)
    expect(signer.address).toBe(privateKeyToAccount(vectors.privateKey as `0x${string}`).address)
    // At the full cost, which takes seconds where other tests run beside it.
  })

  it('another password is reported as such', async () => {
    const { content } = await sample()
    const error = await refusal(openKeystore(await written(content), 'not the password'))
    expect(error).toMatchObject({ reason: 'wallet-unusable' })
    expect(error).not.toHaveProperty('cause')
    expect(error.message).toContain('The password does not open the keystore')
    expect(error.message).not.toContain('not the password')
  })

  it('of other programs: Crypto, 0x before hex, no address, no id, further members', async () => {
    const { content, address } = await sample()
    const { address: bare, crypto, version } = content
    for (const form of [
      { version, Crypto: crypto, 'x-ethers': { client: 'ethers' } },
      { ...content, address: `0x${bare}` },
      { ...content, address: address.slice(2) },
      { version, crypto: { ...crypto, mac: `0x${crypto.mac}` } },
    ]) {
      expect((await openKeystore(await written(form), PASSWORD)).address).toBe(address)
    }
  })

  it('an address that does not belong to the key is refused, without the key', async () => {
    const { content, address } = await sample()
    const file = await written({ ...content, address: 'ab'.repeat(20) })
    const error = await refusal(openKeystore(file, PASSWORD))
    expect(error.reason).toBe('wallet-unusable')
    expect(error.message).toContain(`0x${'ab'.repeat(20)}`)
    expect(error.message).toContain(address)
  })

  it.each([
    ['a gigabyte', { n: 2 ** 20, r: 8, p: 1 }],
    ['text', { n: '1024', r: 8, p: 1 }],
  ])('scrypt parameters that ask for %s are refused before they cost', async (_, kdfparams) => {
    const { content } = await sample()
    const { crypto } = content
    const file = await written({ ...content, crypto: { ...crypto, kdfparams: { ...crypto.kdfparams, ...kdfparams } } })
    const error = await refusal(openKeystore(file, PASSWORD))
    expect(error).toMatchObject({ reason: 'wallet-unusable' })
    expect(error.message).toContain('at crypto.kdfparams')
  })

  it.each<[string, (content: KeystoreFile) => unknown]>([
    ['no JSON', () => 'not JSON {'],
    ['nothing', () => ''],
    ['a list', () => []],
    ['null', () => 'null'],
    ['no crypto', (content) => ({ ...content, crypto: undefined })],
    ['deep nesting', () => `${'['.repeat(30_000)}${']'.repeat(30_000)}`],
    ['too many bytes', () => ' '.repeat(70_000)],
  ])('%s is refused by name', async (_, alter) => {
    const { content } = await sample()
    const file = await written(alter(content))
    const error = await refusal(openKeystore(file, PASSWORD))
    expect(error.reason).toBe('wallet-unusable')
    expect(error.message).toContain(file)
  })

  it.each(['ciphertext', 'mac'] as const)('a changed %s is detected', async (member) => {
    const { content } = await sample()
    const { crypto } = content
    const other = crypto[member].startsWith('00') ? 'ff' : '00'
    const file = await written({ ...content, crypto: { ...crypto, [member]: other + crypto[member].slice(2) } })
    expect((await refusal(openKeystore(file, PASSWORD))).message).toContain('or the file is damaged')
  })

  it.skipIf(!existsSync(MKFIFO))('a pipe without a writer', async () => {
    const pipe = newFile()
    execFileSync(MKFIFO, ['-m', '600', pipe])
    expect((await refusal(openKeystore(pipe, PASSWORD))).message).toContain('is not a file')
  })
})

describe('creating a keystore', () => {
  it('a new key, for the owner only, in the standard form', async () => {
    const { file, creating } = create()
    const address = await creating
    expect((await fs.stat(file)).mode & 0o777).toBe(0o600)
    const content = JSON.parse(await fs.readFile(file, 'utf8'))
    expect(content).toMatchObject({
      version: 3,
      address: address.slice(2).toLowerCase(),
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      crypto: { cipher: 'aes-128-ctr', kdf: 'scrypt', kdfparams: { ...CHEAP, dklen: 32 } },
    })
    expect((await openKeystore(file, PASSWORD)).address).toBe(address)
  })

  it('that OpenSSL can decrypt, by the definition', async () => {
    const { file, creating } = create({ privateKey: vectors.privateKey })
    await creating
    const { crypto } = JSON.parse(await fs.readFile(file, 'utf8')) as KeystoreFile
    const { n, r, p, salt } = crypto.kdfparams
    const key = scryptSync(PASSWORD, Buffer.from(salt, 'hex'), 32, { N: n, r, p })
    const ciphertext = Buffer.from(crypto.ciphertext, 'hex')
    expect(crypto.mac).toBe(keccak256(Buffer.concat([key.subarray(16), ciphertext])).slice(2))
    const decipher = createDecipheriv('aes-128-ctr', key.subarray(0, 16), Buffer.from(crypto.cipherparams.iv, 'hex'))
    expect(`0x${decipher.update(ciphertext).toString('hex')}`).toBe(vectors.privateKey)
  })

  it('two have different keys, salts and vectors', async () => {
    const [one, other] = [await sample(), await sample()]
    expect(one.address).not.toBe(other.address)
    expect(one.content.crypto.kdfparams.salt).not.toBe(other.content.crypto.kdfparams.salt)
    expect(one.content.crypto.cipherparams.iv).not.toBe(other.content.crypto.cipherparams.iv)
  })

  it('an invalid key, a short password: refused without repeating either, and without a file', async () => {
    for (const [own, reason] of [
      [{ privateKey: `0x${'0'.repeat(64)}` }, 'wallet-unusable'],
      [{ privateKey: 'deadbeef' }, 'wallet-unusable'],
      [{ password: 'seven77' }, 'setting-invalid'],
      [{ password: 'seven77 padded ' }, 'setting-invalid'],
    ] as const) {
      const { file, creating } = create(own)
      const error = await refusal(creating)
      expect(error).toMatchObject({ reason })
      expect(error).not.toHaveProperty('cause')
      expect(error.message).not.toMatch(/deadbeef|0000|seven77/)
      await expect(fs.stat(file)).rejects.toMatchObject({ code: 'ENOENT' })
    }
  })

  it('never overwrites, and keeps existing files', async () => {
    const file = await written('a keystore of someone')
    const error = await refusal(create({ file }).creating)
    expect(error).toMatchObject({ reason: 'setting-invalid' })
    expect(await fs.readFile(file, 'utf8')).toBe('a keystore of someone')
    const free = newFile()
    const tried = await Promise.allSettled([1, 2, 3].map(() => create({ file: free }).creating))
    expect(tried.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const won = tried.find((one) => one.status === 'fulfilled')
    expect((await openKeystore(free, PASSWORD)).address).toBe(won?.value)
  })

  it('a missing folder', async () => {
    const { creating } = create({ file: path.join(folder, 'no', 'where.json') })
    expect(await refusal(creating)).toMatchObject({ reason: 'data-dir-unusable' })
  })
})
