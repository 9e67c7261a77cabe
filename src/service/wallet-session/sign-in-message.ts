import { type Expected, isOurHost } from './stated-facts.js'

const FIRST_LINE = /^(?:https?:\/\/)?(\S+) wants you to sign in with your Ethereum account:$/
/** Any text that speaks of itself like this must be a whole message of ERC-4361. */
const SIGN_IN = /wants you to sign in with your/gi
/** The fields in their order (ERC-4361, version 1); those after `Issued At` may be missing. */
const FIELDS = ['URI', 'Version', 'Chain ID', 'Nonce', 'Issued At', 'Expiration Time', 'Not Before', 'Request ID']
const REQUIRED = 5

/**
 * What is wrong with a text as a Sign-In with Ethereum message (ERC-4361), in words; null where it is right, or is none.
 * Resources are refused: a signature would hand rights to them on (ERC-5573).
 */
export function wrongMessage(message: string, nonce: string, expected: Expected): string | null {
  const claims = message.normalize('NFKC').match(SIGN_IN)?.length ?? 0
  if (claims === 0) return null
  if (claims > 1) return 'it holds a second sign-in message'
  const lines = message.trimEnd().split('\n')
  return wrongHead(lines, expected) ?? wrongFields(lines, nonce, expected)
}

function wrongHead([first = '', second = '']: string[], expected: Expected): string | null {
  const domain = FIRST_LINE.exec(first)?.[1]
  if (domain === undefined) return 'it does not begin as a sign-in message does'
  if (!isOurHost(domain, expected)) return 'it is for another domain'
  return second.toLowerCase() === expected.address.toLowerCase() ? null : 'its second line is not our address'
}

function wrongFields(lines: string[], nonce: string, expected: Expected): string | null {
  const start = lines.findIndex((line) => line.startsWith('URI: '))
  if (start < 0) return 'it has no URI'
  if (lines.slice(2, start).filter((line) => line !== '').length > 1) return 'its statement has several lines'
  const fields = fieldsOf(lines.slice(start))
  if (typeof fields === 'string') return fields
  if (!URL.canParse(fields.get('URI')!) || !isOurHost(new URL(fields.get('URI')!).host, expected)) {
    return 'its URI is another place'
  }
  if (fields.get('Version') !== '1') return 'it has another version than 1'
  if (fields.get('Chain ID') !== String(expected.chainId)) {
    return `it is for another chain instead of ${expected.chainId}`
  }
  if (fields.get('Nonce') !== nonce) return 'it states another nonce'
  const unreadable = FIELDS.slice(4, 7).find((label) => Number.isNaN(Date.parse(fields.get(label) ?? '2000-01-01')))
  return unreadable ? `its ${unreadable} cannot be read` : null
}

/** Values by their labels, each once and in order; else what is wrong. */
function fieldsOf(lines: string[]): Map<string, string> | string {
  const fields = new Map<string, string>()
  let next = 0
  for (const line of lines) {
    if (line.startsWith('Resources:')) return 'it asks for rights to resources'
    const [label = '', ...value] = line.split(': ')
    const at = FIELDS.indexOf(label, next)
    if (at < 0 || (next < REQUIRED && at !== next)) return 'its fields are not those of a sign-in message'
    fields.set(label, value.join(': '))
    next = at + 1
  }
  return next < REQUIRED ? 'its fields are not those of a sign-in message' : fields
}
