import { spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { packagePath } from '../../src/core/files.js'
import { attestdVerb } from '../support/attestd-verb.js'
import { PrivyStub } from '../support/privy-stub.js'

const PASSWORD = 'correct horse battery'

let folder: string
beforeAll(async () => {
  folder = await fs.mkdtemp(path.join(os.tmpdir(), 'attestd-wallet-verb-'))
})
afterAll(() => fs.rm(folder, { recursive: true }))

async function secretFile(name: string, text: string, mode = 0o600): Promise<string> {
  const file = path.join(folder, name)
  await fs.writeFile(file, text, { mode })
  return file
}

describe('attestd wallet create', () => {
  test('a new keystore opens with the printed settings', async () => {
    const file = path.join(folder, 'new.json')
    const passwordFile = await secretFile('password', `${PASSWORD}\n`)
    const env = { ATTESTD_WALLET_PASSWORD_FILE: passwordFile }
    const made = await attestdVerb(['wallet', 'create', file], env)
    expect(made).toMatchObject({ code: 0, err: '' })
    const address = /^Address: (0x[0-9a-fA-F]{40})$/m.exec(made.out)?.[1]
    const settings = Object.fromEntries(
      [...made.out.matchAll(/^ {2}(ATTESTD_\w+)=(\S+)$/gm)].map(([, name, value]) => [name, value]),
    )
    expect(settings).toEqual({ ATTESTD_WALLET: 'keystore', ATTESTD_WALLET_KEYSTORE: file })
    expect(await attestdVerb(['wallet', 'address'], { ...settings, ...env })).toEqual({
      code: 0,
      out: `${address}\n`,
      err: '',
    })
    const again = await attestdVerb(['wallet', 'create', file], env)
    expect(again).toMatchObject({ code: 78, err: expect.stringContaining('is there already') })
  })

  test('of a key in a file, to the place of the settings; the key is never printed', async () => {
    const key = generatePrivateKey()
    const { address } = privateKeyToAccount(key)
    const file = path.join(folder, 'given.json')
    const env = { ATTESTD_WALLET_KEYSTORE: file, ATTESTD_WALLET_PASSWORD: PASSWORD }
    const keyFile = await secretFile('key', `${key.slice(2)}\n`)
    const { code, out, err } = await attestdVerb(['wallet', 'create', '--from-key-file', keyFile], env)
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toContain(`Address: ${address}`)
    expect(out).toContain(`still lies open in ${keyFile}`)
    expect(out).not.toContain(key.slice(2))
    expect((await fs.stat(file)).mode & 0o777).toBe(0o600)
  })

  test.each([
    ['open to others', `0x${'11'.repeat(32)}`, 0o644, 'chmod 600'],
    ['no key', 'a passphrase of someone', 0o600, 'is not 0x and 64 hex characters'],
    ['no key of the curve', `0x${'f'.repeat(64)}`, 0o600, 'not below the order'],
  ])('a key file that is %s is refused, unprinted', async (name, text, mode, says) => {
    const file = path.join(folder, `${name}.json`)
    const keyFile = await secretFile(`${name}.key`, text, mode)
    await fs.chmod(keyFile, mode)
    const env = { ATTESTD_WALLET_PASSWORD: PASSWORD }
    const { code, out, err } = await attestdVerb(['wallet', 'create', file, '--from-key-file', keyFile], env)
    expect({ code, out }).toEqual({ code: 78, out: '' })
    expect(err).toContain(says)
    expect(err).not.toContain(text)
    await expect(fs.stat(file)).rejects.toMatchObject({ code: 'ENOENT' })
  })

  test('without a terminal and without a password it ends, naming the setting', async () => {
    const { code, err } = await attestdVerb(['wallet', 'create', path.join(folder, 'never.json')], {})
    expect(code).toBe(78)
    expect(err).toContain('ATTESTD_WALLET_PASSWORD_FILE')
  })
})

describe('attestd wallet address', () => {
  test('names what is missing, and leaves with 78', async () => {
    const local = await attestdVerb(['wallet', 'address'], {})
    expect(local).toMatchObject({ code: 78, out: '', err: expect.stringContaining('ATTESTD_WALLET_KEY') })
    const privy = await attestdVerb(['wallet', 'address', '--wallet', 'privy'], {})
    for (const name of ['WALLET_ADDRESS', 'PRIVY_APP_ID', 'PRIVY_APP_SECRET', 'PRIVY_WALLET_ID']) {
      expect(privy.err).toContain(`ATTESTD_${name}`)
    }
  })

  test('a wallet at Privy signs; what goes wrong is named without a secret', async () => {
    const stub = await PrivyStub.start()
    try {
      expect(await attestdVerb(['wallet', 'address'], stub.env)).toEqual({ code: 0, out: `${stub.address}\n`, err: '' })
      stub.setFault({ kind: 'status', status: 429 })
      const limited = await attestdVerb(['wallet', 'address'], stub.env)
      expect(limited).toMatchObject({ code: 75, out: '', err: expect.stringContaining('[wallet-rate-limited]') })
      const wrong = { ...stub.env, ATTESTD_PRIVY_APP_SECRET: 'a-secret-of-another' }
      const refused = await attestdVerb(['wallet', 'address'], wrong)
      expect(refused.err).toContain('[wallet-refused]')
      expect(refused.err).not.toContain('a-secret-of-another')
    } finally {
      await stub.close()
    }
  })
})

/** `script` of util-linux runs a command on a terminal of its own. */
const hasScript = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') ?? false

/** Runs a verb on a terminal, answering each prompt as soon as it stands there. */
function onTerminal(args: readonly string[], answers: readonly (readonly [prompt: string, answer: string])[]) {
  const { PATH = '' } = process.env
  const command = [process.execPath, packagePath('dist', 'cli', 'main.js'), ...args].join(' ')
  const child = spawn('script', ['--quiet', '--return', '--echo', 'always', '--command', command, '/dev/null'], {
    env: { PATH, HOME: '/nowhere', TERM: 'dumb' },
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
  test('the password is asked for twice to make a keystore, once to open it, and never shown', async () => {
    const file = path.join(folder, 'asked.json')
    const made = await onTerminal(
      ['wallet', 'create', file],
      [
        ['new keystore: ', PASSWORD],
        ['again: ', PASSWORD],
      ],
    )
    expect(made).toMatchObject({ code: 0, seen: expect.stringContaining('Address: 0x') })
    const opened = await onTerminal(
      ['wallet', 'address', '--wallet', 'keystore', '--wallet-keystore', file],
      [['asked.json: ', PASSWORD]],
    )
    expect(opened).toMatchObject({ code: 0, seen: expect.stringMatching(/\n0x[0-9a-fA-F]{40}\r?\n/) })
    for (const { seen } of [made, opened]) expect(seen).not.toContain(PASSWORD)
    const wrong = await onTerminal(
      ['wallet', 'address', '--wallet', 'keystore', '--wallet-keystore', file],
      [['asked.json: ', 'not the password']],
    )
    expect(wrong).toMatchObject({ code: 78, seen: expect.stringContaining('does not open the keystore') })
  })
})
