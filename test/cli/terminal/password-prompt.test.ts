import { PassThrough } from 'node:stream'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { askNewPassword, askWalletPassword, type Terminal } from '../../../src/cli/terminal/password-prompt.js'
import { withReason } from '../../support/with-reason.js'

interface Typed extends Terminal {
  readonly input: PassThrough & { isTTY: boolean; setRawMode(raw: boolean): void }
  readonly output: PassThrough
  /** Whether what is typed is shown by the terminal itself. */
  readonly raw: boolean[]
}

function terminal(): Typed {
  const raw: boolean[] = []
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: (on: boolean) => void raw.push(on) })
  return { input, output: new PassThrough(), raw }
}

/** Newer versions of Node read one chunk at a time. */
function shown({ output }: Typed): string {
  const chunks: unknown[] = []
  for (let chunk: unknown = output.read(); chunk !== null; chunk = output.read()) chunks.push(chunk)
  return chunks.join('')
}

describe('asking for a password', () => {
  it.each([
    ['as typed', ['secret', '\r'], 'secret'],
    ['key by key', [...'secret', '\n'], 'secret'],
    ['with a taken back character', ['secrex\u007ft\r'], 'secret'],
    ['begun again', ['wrong\u0015secret\r'], 'secret'],
    ['with arrow keys and a paste', ['\u001b[A\u001b[200~secret\u001b[201~\u001bOA', '\r'], 'secret'],
    ['with a character of several bytes, cut in two', [Buffer.from([0xc3]), Buffer.from([0xa9]), '\r'], 'é'],
    ['with a taken back one of two units', ['a😀\u007fb\r'], 'ab'],
    ['with spaces inside', ['two words \r'], 'two words '],
    ['empty', ['\r'], ''],
  ])('%s', async (_, keys, password) => {
    // As in the shell of Emacs, where Node edits no line.
    vi.stubEnv('TERM', 'dumb')
    onTestFinished(() => void vi.unstubAllEnvs())
    const own = terminal()
    const asking = askWalletPassword('wallet.json', own)
    for (const key of keys) own.input.write(key)
    expect(await asking).toBe(password)
    expect(shown(own)).toBe('Password of wallet.json: \n')
    expect(own.raw).toEqual([true, false])
    expect(own.input.isPaused()).toBe(true)
  })

  it.each([
    ['Ctrl-C', '\u0003'],
    ['Ctrl-D', '\u0004'],
  ])('%s ends it, and restores the terminal', async (_, keys) => {
    const own = terminal()
    const asking = askWalletPassword('wallet.json', own)
    own.input.write(keys)
    await expect(asking).rejects.toMatchObject({ reason: 'setting-missing' })
    expect(own.raw).toEqual([true, false])
  })

  it('a closed terminal ends it', async () => {
    const own = terminal()
    const asking = askWalletPassword('wallet.json', own)
    own.input.end('half')
    await expect(asking).rejects.toMatchObject({ reason: 'setting-missing' })
  })

  it('without a terminal nothing is read, and the setting is named', async () => {
    const own = terminal()
    own.input.isTTY = false
    await expect(askWalletPassword('wallet.json', own)).rejects.toThrow(
      withReason('setting-missing', 'ATTESTD_WALLET_PASSWORD_FILE'),
    )
    expect(shown(own)).toBe('')
  })

  it('a new one is asked for twice, also when both lines arrive at once', async () => {
    const own = terminal()
    const asking = askNewPassword('Password', own)
    own.input.write('secret\rsecret\r')
    expect(await asking).toBe('secret')
    expect(shown(own)).toBe('Password: \nPassword, again: \n')
  })

  it('two different ones are refused, and not repeated', async () => {
    const own = terminal()
    const asking = askNewPassword('Password', own)
    own.input.write('secret\rsecrte\r')
    await expect(asking).rejects.toMatchObject({
      reason: 'setting-invalid',
      message: expect.not.stringMatching(/secr/),
    })
  })
})
