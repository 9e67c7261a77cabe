import type { Readable, Writable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { AttestdError } from '../../core/errors.js'
import { safeLine } from '../../core/safe-output.js'

/** A terminal, or what stands in its place; `process.stdin` and `process.stderr` fit. */
export interface Terminal {
  readonly input: Readable & { readonly isTTY?: boolean; setRawMode?(raw: boolean): unknown }
  readonly output: Writable
}

const ownTerminal = (): Terminal => ({ input: process.stdin, output: process.stderr })

const ESC = '\u001b'
/** Arrow keys and the like, and the brackets that a terminal puts around what is pasted. */
const ESCAPES = new RegExp(`${ESC}(?:\\[[\\d;?]*[A-Za-z~]|O[A-Z])`, 'g')
const CTRL_C = '\u0003'
const CTRL_D = '\u0004'
const CTRL_U = '\u0015'
const BACKSPACES = ['\u007f', '\b']

/**
 * Asks for a password on the terminal, without showing it.
 * @throws AttestdError setting-missing, where there is no terminal or no answer
 */
export async function askPassword(question: string, terminal: Terminal = ownTerminal()): Promise<string> {
  const { input, output } = terminal
  if (!input.isTTY || !input.setRawMode) {
    throw new AttestdError(
      'setting-missing',
      'Without a terminal there is no prompt for the wallet password: set ATTESTD_WALLET_PASSWORD_FILE to the path of a file that holds it.',
    )
  }
  // Before the question stands there: what is typed earlier would be shown.
  input.setRawMode(true)
  output.write(safeLine(question))
  try {
    return await readLine(input)
  } finally {
    input.setRawMode(false)
    input.pause()
    output.write('\n')
  }
}

/** Asks for the password of a keystore. @throws AttestdError as `askPassword` */
export function askWalletPassword(file: string): Promise<string> {
  return askPassword(`Password of ${file}: `)
}

/** Asks for a new password, twice. @throws AttestdError setting-missing, setting-invalid where the two differ */
export async function askNewPassword(question: string, terminal: Terminal = ownTerminal()): Promise<string> {
  const password = await askPassword(`${question}: `, terminal)
  const again = await askPassword(`${question}, again: `, terminal)
  if (password === again) return password
  throw new AttestdError('setting-invalid', 'The two passwords do not match; nothing was written.')
}

/** Up to the first line end; what was typed after it is left for the next reader. */
function readLine(input: Readable): Promise<string> {
  return new Promise((resolve, reject) => {
    const decoder = new StringDecoder('utf8')
    let typed = ''
    const finish = (settle: () => void) => {
      input.off('data', onData)
      input.off('end', onEnd)
      input.off('error', onEnd)
      settle()
    }
    const onEnd = () => finish(() => reject(new AttestdError('setting-missing', 'No password was entered.')))
    const onData = (chunk: Buffer | string) => {
      const text = (typeof chunk === 'string' ? chunk : decoder.write(chunk)).replaceAll(ESCAPES, '')
      const end = text.search(/[\r\n]/)
      const line = end === -1 ? text : text.slice(0, end)
      if (line.includes(CTRL_C) || line.includes(CTRL_D)) return onEnd()
      for (const character of line) typed = edited(typed, character)
      if (end === -1) return
      const rest = text.slice(end + 1)
      finish(() => {
        if (rest !== '') input.unshift(Buffer.from(rest))
        resolve(typed)
      })
    }
    input.on('data', onData)
    input.on('end', onEnd)
    input.on('error', onEnd)
    // A stream that was paused, as after an earlier question, does not flow by itself.
    input.resume()
  })
}

/** What stands in the line after a key: backspace takes a character back, Ctrl-U all; other control keys do nothing. */
function edited(typed: string, character: string): string {
  if (BACKSPACES.includes(character)) return [...typed].slice(0, -1).join('')
  if (character === CTRL_U) return ''
  return character < ' ' ? typed : typed + character
}
