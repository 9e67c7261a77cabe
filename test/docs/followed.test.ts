import fs from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sandboxText } from '../../src/cli/sandbox-text.js'
import { packagePath } from '../../src/core/files.js'
import type { Sandbox } from '../../src/sandbox/create-sandbox.js'
import { attestdVerb } from '../support/attestd-verb.js'
import { DaemonProcess } from '../support/daemon-process.js'
import { writeTinyPackage } from '../support/detector-package.js'
import { startSandbox } from '../support/sandbox.js'
import { type SandboxProcess, startSandboxProcess } from '../support/sandbox-process.js'
import { scoreWhatOpens } from '../support/score-what-opens.js'
import { folderForAll } from '../support/temporary-folder.js'
import { read } from './pages.js'

/** What a reader types, line by line, and what it must print. The ports of the pages may be taken here, so others stand for them. */

const folder = folderForAll()
const daemons: DaemonProcess[] = []

beforeAll(async () => {
  await writeTinyPackage(path.join(folder, 'models'))
})
afterAll(async () => {
  for (const daemon of daemons) await daemon.kill9()
})

/** The list that init writes names the packages of attestd, which are not here; and its port may be that of a daemon of this machine. */
const inTest = () => ({
  ATTESTD_MODELS_DIR: path.join(folder, 'models'),
  ATTESTD_DETECTORS: 'tiny-image',
  ATTESTD_HTTP_PORT: '0',
})

async function runs(name: string, env: Readonly<Record<string, string>>, args: readonly string[]) {
  const files = { dataDir: path.join(folder, name, 'data'), logFile: path.join(folder, `${name}.log`) }
  const daemon = new DaemonProcess({ ...inTest(), ...env }, files, args)
  daemons.push(daemon)
  // Not until it is ready: it never is once the tour's sound, text and video wait, for which this daemon has no detector.
  await daemon.serving()
  await expect.poll(() => daemon.output).toContain('score submitted')
  return daemon
}

describe('the tour of the README', () => {
  /** By the first words of a command; `run` and `sandbox` go on running. */
  const PRINTED: readonly [words: string, printed: RegExp][] = [
    ['init ', /^Written: .*attestd\.yaml/],
    ['doctor ', /✓ key and stake +\d+ open assets; staked .* ether/],
    ['status ', /submit +\d+ waiting/],
    ['scores ', /risk|accepted/],
    ['queue waiting ', /No job waits for a retry\.|reason/],
    ['queue failed ', /No failed jobs\.|reason/],
    ['queue retry ', /^\d+ failed jobs will be retried/],
    ['queue pause ', /^Paused: analyze, submit/],
    ['queue resume ', /^All queues resumed/],
    ['score ', /^risk [\d.]+ of 100/],
    ['keys create ', /^Created: submitter key/],
    ['register ', /registered as ast_/],
  ]
  const tour = /^## The tour\n(.*?)^## /ms.exec(read('README.md'))![1]!
  const lines = [...tour.matchAll(/^```\n(.*?)^```/gms)].flatMap(([, block]) => block!.trim().split('\n'))
  /** What the reader exported in the third terminal. */
  const exported: Record<string, string> = {}
  let sandbox: SandboxProcess | undefined
  let daemon: DaemonProcess | undefined
  afterAll(() => sandbox?.end('SIGKILL'))

  const here = (word: string) =>
    word
      .replace('../tour', path.join(folder, 'tour'))
      .replace('http://127.0.0.1:8787', sandbox?.facts.url ?? 'http://127.0.0.1:8787')
      .replace(/(?<=ATTESTD_SESSION_TOKEN=)\.\.\./, sandbox?.facts.sessionToken ?? '')

  it.each(lines)('%s', async (typed) => {
    const words = [...typed.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => here(quoted ?? word!))
    const settings = Object.fromEntries(
      words.filter((word) => /^ATTESTD_\w+=/.test(word)).map((word) => word.split('=')),
    )
    const [verb, ...args] = words.slice(words.indexOf('attestd') + 1)
    if (words[0] === 'export') Object.assign(exported, settings)
    else if (words[0] === 'curl') expect(await daemon!.metric(words.at(-1)!)).toBeGreaterThan(0)
    else if (verb === 'sandbox') {
      sandbox = await startSandboxProcess(args)
      const file = path.join(folder, 'tour', 'attestd.yaml')
      await fs.writeFile(file, (await fs.readFile(file, 'utf8')).replace('http://127.0.0.1:8787', sandbox.facts.url))
    } else if (verb === 'run') daemon = await runs('tour', {}, args)
    else {
      const { code, err, out } = await attestdVerb([verb!, ...args], { ...inTest(), ...exported, ...settings })
      // Without the detectors of the page no daemon works on its sound and text, which `status` reports by its exit code.
      if (verb !== 'status') expect({ code, err }).toEqual({ code: 0, err: expect.not.stringContaining('[') })
      // What `register` is at is not its result.
      const [, printed] = PRINTED.find(([first]) => `${verb} ${args.join(' ')} `.startsWith(first))!
      expect(verb === 'register' ? err : out).toMatch(printed)
    }
  })
})

describe('the page of wallet sessions', () => {
  const page = read('docs/wallet-session.md').replaceAll(/\s+/g, ' ')

  it('creates settings folder and wallet by the commands it shows', async () => {
    const lines = [...read('docs/wallet-session.md').matchAll(/^npx attestd (init .*)$/gm)].map(([, line]) => line!)
    expect(lines).toHaveLength(1)
    const args = lines[0]!.split(' ').map((word) => word.replace('../node', path.join(folder, 'node')))
    const { code, out } = await attestdVerb(args, {})
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('attestd wallet create') })
    expect(await fs.readFile(path.join(folder, 'node', 'attestd.yaml'), 'utf8')).toMatch(/kind: local/)
  })

  /** The settings of the command that the page says to paste, against this sandbox. */
  async function pastedEnv(running: Sandbox, secrets: string) {
    await fs.mkdir(secrets)
    await fs.writeFile(path.join(secrets, 'wallet_key'), running.wallets.attester.privateKey, { mode: 0o600 })
    const [, words] = /command that it prints after "([^"]+)"/.exec(page)!
    const [, after] = sandboxText(running, { secrets, auth: true }).split(words!)
    const [, pasted] = /^:\n((?: +.*\n)+)/.exec(after!)!
    const command = pasted!.replaceAll(/\\\n/g, ' ').trim()
    expect(command).toMatch(/^ATTESTD_SERVICE_API=wallet-session .*npx attestd run/s)
    const settings = [...command.matchAll(/(ATTESTD_\w+)=(?:"([^"]*)"|(\S+))/g)]
    return Object.fromEntries(settings.map(([, name, quoted, word]) => [name!, quoted ?? word!]))
  }

  it('shows verbs that print what it states, one after the other', async ({ onTestFinished }) => {
    const PRINTED: readonly [words: string, printed: RegExp][] = [
      ['wallet create ', /^Address: 0x[\da-f]{40}\nWritten: .*keystore\.json/i],
      ['doctor ', /✓ stake contract +staked .* ether of at least .*; roles: attester/],
      ['register ', /registered as ast_/],
      ['keys create ', /^Created: attester key/],
      ['keys revoke ', /^Revoked: key_/],
    ]
    const running = await startSandbox()
    onTestFinished(() => running.close())
    const attester = await pastedEnv(running, path.join(folder, 'attester'))
    const submitterKey = path.join(folder, 'submitter_key')
    await fs.writeFile(submitterKey, running.wallets.submitter.privateKey, { mode: 0o600 })
    await fs.writeFile(path.join(folder, 'password'), 'of the keystore', { mode: 0o600 })
    const password = { ATTESTD_WALLET_PASSWORD_FILE: path.join(folder, 'password') }
    const lines = [...read('docs/wallet-session.md').matchAll(/^npx attestd ((?:wallet|doctor|register|keys) .*)$/gm)]
    expect(lines).toHaveLength(PRINTED.length)
    let keyId = ''
    for (const [, line] of lines) {
      const words = line!.replace(/ +#.*/, '')
      const args = words.split(' ').map((word) =>
        word
          .replace(/^\.\.\/\w+\/attestd\.yaml$/, path.join(folder, 'node', 'attestd.yaml'))
          .replace('../node', path.join(folder, 'node'))
          .replace('../keys', path.join(folder, 'keys'))
          .replace('photo.jpg', packagePath('samples', 'moose.jpg'))
          .replace('KEY_ID', keyId),
      )
      const isRegister = words.startsWith('register ')
      const env = isRegister ? { ...attester, ATTESTD_WALLET_KEY_FILE: submitterKey } : attester
      const verb = attestdVerb(args, { ...inTest(), ...(words.startsWith('wallet ') ? password : env) })
      if (isRegister) await scoreWhatOpens(running)
      const { code, err, out } = await verb
      expect({ code, err: isRegister ? '' : err }, words).toEqual({ code: 0, err: '' })
      expect(isRegister ? err : out).toMatch(PRINTED.find(([first]) => words.startsWith(first))![1])
      if (words.startsWith('keys create ')) keyId = /key_\w+/.exec(out)![0]
    }
  })

  it('shows a command to paste that scores the open assets, after the sandbox of the page', async ({
    onTestFinished,
  }) => {
    const running = await startSandbox()
    onTestFinished(() => running.close())
    await running.registerFile(packagePath('samples', 'moose.jpg'))
    const env = await pastedEnv(running, path.join(folder, 'try'))
    await runs('wallet', env, ['--unsure-policy', 'submit'])
  })
})
