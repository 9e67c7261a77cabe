import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import fs from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { type Address, recoverMessageAddress } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/core/clock.js'
import { packagePath } from '../../src/core/files.js'
import { createKeystore } from '../../src/wallet/create-keystore.js'
import { openSigner, type WalletChoice } from '../../src/wallet/open-signer.js'
import { folderForAll } from '../support/temporary-folder.js'
import { withReason } from '../support/with-reason.js'

const key = generatePrivateKey()
const { address } = privateKeyToAccount(key)
const PASSWORD = 'correct horse battery'
const ANOTHER: Address = `0x${'12'.repeat(20)}`

const folder = folderForAll()
let file: string
beforeAll(async () => {
  file = path.join(folder, 'wallet.json')
  const cost = { n: 1024, r: 8, p: 1 }
  await createKeystore({ file, password: PASSWORD, privateKey: key, random: randomBytes, cost })
})

const privy = (own: object = {}): WalletChoice => ({
  kind: 'privy',
  appId: 'app',
  appSecret: 'secret',
  walletId: 'wallet',
  apiUrl: 'https://privy.example',
  timeoutMs: 1000,
  address,
  ...own,
})
const choices = (): WalletChoice[] => [{ kind: 'local', key }, { kind: 'keystore', file, password: PASSWORD }, privy()]

const options = { clock: systemClock }

describe('opening a wallet', () => {
  it.each([0, 1])('one that holds its key signs (%i)', async (index) => {
    const signer = await openSigner(choices()[index]!, options)
    expect(signer.address).toBe(address)
    const message = 'hello'
    expect(await recoverMessageAddress({ message, signature: await signer.signMessage({ message }) })).toBe(address)
  })

  it.each([0, 1, 2])('accepts the expected address in either case, and no other (%i)', async (index) => {
    const choice = choices()[index]!
    for (const expectedAddress of [address, address.toLowerCase() as Address, undefined]) {
      expect((await openSigner({ ...choice, expectedAddress }, options)).address).toBe(address)
    }
    await expect(openSigner({ ...choice, expectedAddress: ANOTHER }, options)).rejects.toThrow(
      withReason('wallet-unusable', new RegExp(`${address}.*${ANOTHER}`)),
    )
  })

  it.each([
    ['zero', `0x${'0'.repeat(64)}`],
    ['the order of the curve', '0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141'],
    ['more than the order', `0x${'f'.repeat(64)}`],
    ['too short', '0xdeadbeef'],
    ['no 0x', key.slice(2)],
    ['not hex', `0x${'x'.repeat(64)}`],
  ])('a key that is %s: refused without it', async (_, bad) => {
    const error = await openSigner({ kind: 'local', key: bad }, options).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ reason: 'wallet-unusable' })
    expect(error).not.toHaveProperty('cause')
    expect((error as Error).stack).not.toContain(bad.slice(2))
  })
})

/** Notes every module that a process resolves; in a file, since a pipe that is full for a moment refuses a write. */
const noting = (file: string) => `import fs from 'node:fs'
export async function resolve(name, context, next) {
  fs.appendFileSync(${JSON.stringify(file)}, name + '\\n')
  return next(name, context)
}`

/** What a fresh process resolves while it opens the wallet. */
async function resolvedBy(choice: WalletChoice): Promise<string[]> {
  const file = path.join(folder, `resolved-by-${choice.kind}`)
  const hooks = `data:text/javascript,${encodeURIComponent(noting(file))}`
  const opener = packagePath('dist', 'wallet', 'open-signer.js')
  const code = `import { register } from 'node:module'
register(${JSON.stringify(hooks)})
const { systemClock } = await import(${JSON.stringify(packagePath('dist', 'core', 'clock.js'))})
const { openSigner } = await import(${JSON.stringify(opener)})
await openSigner(${JSON.stringify(choice)}, { clock: systemClock })`
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code])
  return (await fs.readFile(file, 'utf8')).split('\n')
}

it("only a wallet at Privy loads Privy's library", async () => {
  const [local, keystore, embedded] = await Promise.all(choices().map(resolvedBy))
  for (const resolved of [local, keystore]) {
    expect(resolved).toContain('./local-wallet.js')
    expect(resolved!.filter((name) => name.includes('privy'))).toEqual([])
  }
  expect(embedded).toContain('@privy-io/server-auth')
})
