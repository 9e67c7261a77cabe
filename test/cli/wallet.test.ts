import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import fs from 'node:fs/promises'
import path from 'node:path'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it, onTestFinished } from 'vitest'
import { packagePath } from '../../src/core/files.js'
import { createKeystore } from '../../src/wallet/create-keystore.js'
import { attestdVerb } from '../support/attestd-verb.js'
import { PrivyStub } from '../support/privy-stub.js'
import { folderForAll } from '../support/temporary-folder.js'

const PASSWORD = 'correct horse battery'

const folder = folderForAll()

async function secretFile(name: string, text: string, mode = 0o600): Promise<string> {
  const file = path.join(folder, name)
  await fs.writeFile(file, text, { mode })
  return file
}

describe('attestd wallet create', () => {
  it('a keystore from a key file opens with the printed settings; the key is never printed', async () => {
    const key = generatePrivateKey()
    const { address } = privateKeyToAccount(key)
    const file = path.join(folder, 'given.json')
    const keyFile = await secretFile('key', `${key.slice(2)}\n`)
    const env = { ATTESTD_WALLET_PASSWORD_FILE: await secretFile('password', `${PASSWORD}\n`) }
    const create = ['wallet', 'create', '--from-key-file', keyFile]
    const made = await attestdVerb(create, { ...env, ATTESTD_WALLET_KEYSTORE: file })
    expect(made).toMatchObject({ code: 0, err: '', out: expect.stringContaining(`Address: ${address}`) })
    expect(made.out).toContain(`is still unencrypted in ${keyFile}`)
    expect(made.out).not.toContain(key.slice(2))
    expect((await fs.stat(file)).mode & 0o777).toBe(0o600)
    const { crypto } = JSON.parse(await fs.readFile(file, 'utf8'))
    expect(crypto.kdfparams).toMatchObject({ n: 262_144, r: 8, p: 1, dklen: 32 })
    const printed = [...made.out.matchAll(/^ {2}(ATTESTD_\w+)=((?:\S| (?! ))+)$/gm)].map(([, name, value]) => [
      name,
      value,
    ])
    const settings = Object.fromEntries(printed)
    expect(settings).toEqual({ ATTESTD_WALLET: 'keystore', ATTESTD_WALLET_KEYSTORE: file })
    const opened = await attestdVerb(['wallet', 'address'], { ...settings, ...env })
    expect(opened).toEqual({ code: 0, out: `${address}\n`, err: '' })
    const again = await attestdVerb(['wallet', 'create', file], env)
    expect(again).toMatchObject({ code: 78, err: expect.stringContaining('already exists') })
  })

  it.each([
    ['open to others', `0x${'11'.repeat(32)}`, 0o644, 'chmod 600'],
    ['no key', 'a passphrase of someone', 0o600, 'is not 0x and 64 hex characters'],
    ['no key of the curve', `0x${'f'.repeat(64)}`, 0o600, 'not below the order'],
  ])('a key file that is %s is refused, unprinted', async (name, text, mode, message) => {
    const file = path.join(folder, `${name}.json`)
    const keyFile = await secretFile(`${name}.key`, text, mode)
    await fs.chmod(keyFile, mode)
    const env = { ATTESTD_WALLET_PASSWORD: PASSWORD }
    const { code, out, err } = await attestdVerb(['wallet', 'create', file, '--from-key-file', keyFile], env)
    expect({ code, out }).toEqual({ code: 78, out: '' })
    expect(err).toContain(message)
    expect(err).not.toContain(text)
    await expect(fs.stat(file)).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it('without a terminal and a password it exits, naming the setting', async () => {
    const { code, err } = await attestdVerb(['wallet', 'create', path.join(folder, 'never.json')], {})
    expect(code).toBe(78)
    expect(err).toContain('ATTESTD_WALLET_PASSWORD_FILE')
  })
})

describe('attestd wallet address', () => {
  it('names missing settings, and exits with 78', async () => {
    const local = await attestdVerb(['wallet', 'address'], {})
    expect(local).toMatchObject({ code: 78, out: '', err: expect.stringContaining('ATTESTD_WALLET_KEY') })
    const privy = await attestdVerb(['wallet', 'address', '--wallet', 'privy'], {})
    for (const name of ['WALLET_ADDRESS', 'PRIVY_APP_ID', 'PRIVY_APP_SECRET', 'PRIVY_WALLET_ID']) {
      expect(privy.err).toContain(`ATTESTD_${name}`)
    }
  })

  it('a wallet at Privy signs; failures are named without a secret', async () => {
    const stub = await PrivyStub.start()
    onTestFinished(() => stub.close())
    expect(await attestdVerb(['wallet', 'address'], stub.env)).toEqual({ code: 0, out: `${stub.address}\n`, err: '' })
    stub.setFault({ kind: 'status', status: 429 })
    const limited = await attestdVerb(['wallet', 'address'], stub.env)
    expect(limited).toMatchObject({ code: 75, out: '', err: expect.stringContaining('[wallet-rate-limited]') })
    const wrong = { ...stub.env, ATTESTD_PRIVY_APP_SECRET: 'a-secret-of-another' }
    const refused = await attestdVerb(['wallet', 'address'], wrong)
    expect(refused.err).toContain('[wallet-refused]')
    expect(refused.err).not.toContain('a-secret-of-another')
  })
})

/** `script` of util-linux runs a command on a terminal of its own. */
const hasScript = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') ?? false

/** Runs a verb on a terminal, answering each prompt as soon as it stands there. */
function onTerminal(args: readonly string[], answers: readonly (readonly [prompt: string, answer: string])[]) {
  const { PATH = '' } = process.env
  const command = [process.execPath, packagePath('dist', 'cli', 'main.js'), ...args]
    .map((word) => `'${word}'`)
    .join(' ')
  const child = spawn('script', ['--quiet', '--return', '--echo', 'always', '--command', command, '/dev/null'], {
    env: { PATH, HOME: '/dev/null', TERM: 'dumb' },
  })
  const left = [...answers]
  let seen = ''
  let answeredUpTo = 0
  child.stdout.on('data', (chunk: Buffer) => {
    seen += chunk
    const [prompt, answer] = left[0] ?? []
    const at = prompt === undefined ? -1 : seen.indexOf(prompt, answeredUpTo)
    if (at === -1) return
    answeredUpTo = at + 1
    left.shift()
    child.stdin.write(`${answer}\r`)
  })
  return new Promise<{ code: number | null; seen: string }>((resolve) => {
    child.on('close', (code) => resolve({ code, seen }))
  })
}

describe.skipIf(!hasScript)('on a terminal (needs script of util-linux)', () => {
  it('the password of a new keystore is asked for twice, and never shown', async () => {
    const file = path.join(folder, 'asked.json')
    const { code, seen } = await onTerminal(
      ['wallet', 'create', file],
      [
        ['new keystore: ', PASSWORD],
        ['again: ', PASSWORD],
      ],
    )
    expect({ code, seen }).toMatchObject({ code: 0, seen: expect.stringContaining('Address: 0x') })
    expect(seen).not.toContain(PASSWORD)
  })

  it('the password of an existing one is asked for once; a wrong one does not open it', async () => {
    const file = path.join(folder, 'cheap.json')
    const cost = { n: 1024, r: 8, p: 1 }
    const address = await createKeystore({ file, password: PASSWORD, random: randomBytes, cost })
    const args = ['wallet', 'address', '--wallet', 'keystore', '--wallet-keystore', file]
    const opened = await onTerminal(args, [['cheap.json: ', PASSWORD]])
    expect(opened).toMatchObject({ code: 0, seen: expect.stringContaining(`\n${address}`) })
    expect(opened.seen).not.toContain(PASSWORD)
    const wrong = await onTerminal(args, [['cheap.json: ', 'not the password']])
    expect(wrong).toMatchObject({ code: 78, seen: expect.stringContaining('does not open the keystore') })
    const cancelled = await onTerminal(args, [['cheap.json: ', '\u0003']])
    expect(cancelled).toMatchObject({ code: 78, seen: expect.stringContaining('No password was entered') })
  })
})
