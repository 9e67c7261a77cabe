import { createInterface } from 'node:readline'
import { type Readable, Writable } from 'node:stream'
import { AttestdError } from '../../core/errors.js'
import { safeLine } from '../../core/safe-output.js'

/** A terminal, or what stands in its place; `process.stdin` and `process.stderr` fit. */
export interface Terminal {
  readonly input: Readable & { readonly isTTY?: boolean; setRawMode?(raw: boolean): unknown }
  readonly output: Writable
}

const ownTerminal = (): Terminal => ({ input: process.stdin, output: process.stderr })

/** Asks for the password of a keystore. @throws AttestdError setting-missing, where there is no terminal or no answer */
export async function askWalletPassword(file: string, terminal = ownTerminal()): Promise<string> {
  const [password = ''] = await askHidden([`Password of ${file}: `], terminal)
  return password
}

/** Asks for a new password, twice. @throws AttestdError setting-missing, setting-invalid where the two differ */
export async function askNewPassword(question: string, terminal = ownTerminal()): Promise<string> {
  const [password = '', again] = await askHidden([`${question}: `, `${question}, again: `], terminal)
  if (password === again) return password
  throw new AttestdError('setting-invalid', 'The two passwords do not match; nothing was written.')
}

/** Asks one question after the other without showing what is typed. By one reader: both lines may be pasted at once. */
async function askHidden(questions: readonly string[], { input, output }: Terminal): Promise<string[]> {
  if (!input.isTTY || !input.setRawMode) {
    throw new AttestdError(
      'setting-missing',
      'Without a terminal there is no prompt for the wallet password: set ATTESTD_WALLET_PASSWORD_FILE to the path of a file that holds it.',
    )
  }
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const { TERM } = process.env
  // Where it is `dumb`, Node would take a backspace for a character of the password; nothing is drawn here anyway.
  if (TERM === 'dumb') delete process.env.TERM
  // Before the question stands there: what is typed earlier would be shown.
  const reader = createInterface({ input, output: nowhere, terminal: true, historySize: 0 })
  if (TERM === 'dumb') process.env.TERM = TERM
  const lines = reader[Symbol.asyncIterator]()
  const answers: string[] = []
  try {
    for (const question of questions) {
      output.write(safeLine(question))
      const { done, value } = await lines.next()
      output.write('\n')
      // Of a terminal that went away the reader gives what was typed until then.
      if (done || input.readableEnded) throw new AttestdError('setting-missing', 'No password was entered.')
      answers.push(value)
    }
  } finally {
    reader.close()
  }
  return answers
}
