import { AttestdError } from '../../core/errors.js'
import { cleanLine, jsonIn } from '../../core/text.js'
import type { Challenge } from './schemas.js'
import { wrongMessage } from './sign-in-message.js'
import { EXPIRY_TOLERANCE_MS, type Expected, NONCE_MARK, wrongStatement } from './stated-facts.js'
import { unixMsOf } from './unix-time.js'

/** Largest text that is signed, bytes; a challenge with every field of ERC-4361 has about 500. */
const MAX_BYTES = 4096
/** Longest text without a space that may stand next to the nonce, characters; more is data rather than words. */
const MAX_RUN = 200

/**
 * Control, format (bidirectional, zero width), private and unassigned characters, half surrogate pairs, separators and
 * whatever is drawn as nothing: a person would not see what is signed. Line feeds and tabs alone may stand.
 */
const UNPRINTABLE = /[^\P{C}\n\t]|[\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u
/** Words of what a wallet signs apart from texts; the prefix of EIP-191 itself among them. */
const OTHER_KINDS = /ethereum signed message|eip712|primarytype|verifyingcontract|domainseparator|"[^"\n]*"\s*:/i
/** States of what follows that it is the nonce. */
const NONCE_LABEL = new RegExp(`nonce\\W{0,3}${NONCE_MARK}`, 'i')

/**
 * @throws AttestdError challenge-untrusted, saying what is wrong but never the text, unless this is a sign-in challenge for this
 * wallet at this service: printable text, no data, transaction or typed data, holding the nonce, and where it states a
 * domain, address, chain, nonce or expiry, stating ours. ERC-4361 messages must be whole and ask for no resources
 */
export function checkChallenge({ message, nonce, expiresAt }: Challenge, expected: Expected): void {
  // What is signed stays as it came; only the ends of its lines do not matter here.
  const text = message.replaceAll('\r\n', '\n')
  const wrong = wrongText(text) ?? wrongContent(text, nonce, expected) ?? wrongExpiry(expiresAt, expected)
  if (wrong) throw new AttestdError('challenge-untrusted', `The challenge was not signed: ${cleanLine(wrong)}.`)
}

function wrongText(message: string): string | null {
  const bytes = Buffer.byteLength(message)
  if (bytes > MAX_BYTES) return `it has ${bytes} bytes; at most ${MAX_BYTES} are accepted`
  return UNPRINTABLE.test(message) ? 'it holds characters that cannot be seen' : null
}

function wrongContent(message: string, nonce: string, expected: Expected): string | null {
  if (!canBeNonce(nonce)) return 'its nonce is too short, or reads as something else'
  const marked = withMark(message, nonce)
  if (marked === null) return 'it does not hold the nonce'
  const isNamed = NONCE_LABEL.test(marked) || /nonce/i.test(nonce)
  if (!isNamed && mayBeWord(nonce)) return 'it holds the nonce as a word, without calling it the nonce'
  // Letters that look or count like others are compared as those.
  const text = marked.normalize('NFKC').replaceAll('\u3002', '.')
  if (jsonIn(message) !== undefined) return 'it is data rather than a text'
  if (OTHER_KINDS.test(message.normalize('NFKC'))) return 'it holds parts of typed data or of another signature'
  return wrongForm(text) ?? wrongStatement(text, expected) ?? wrongMessage(message, nonce, expected)
}

/** The text with a mark wherever the nonce stands as its own word; null where it does so nowhere. */
function withMark(message: string, nonce: string): string | null {
  const [first = '', ...others] = message.split(nonce)
  let marked = first
  for (const part of others) {
    const isApart = !/[\p{L}\p{N}]$/u.test(marked) && !/^[\p{L}\p{N}]/u.test(part)
    marked += `${isApart ? NONCE_MARK : nonce}${part}`
  }
  return marked.includes(NONCE_MARK) ? marked : null
}

function wrongForm(text: string): string | null {
  if (/^\s*\{/.test(text)) return 'it is data rather than a text'
  if (/^\s*0x/i.test(text) || /[0-9a-f]{64,}/i.test(text)) return 'it holds a hash or other hex data'
  if (new RegExp(`\\S{${MAX_RUN},}`).test(text)) return 'it holds data rather than words'
  return /\p{L}{3,}/u.test(text) ? null : 'it contains nothing but the nonce'
}

function wrongExpiry(expiresAt: unknown, { time }: Expected): string | null {
  const expiry = unixMsOf(expiresAt)
  return expiry !== null && time !== null && expiry <= time.ms - EXPIRY_TOLERANCE_MS
    ? `it has expired by ${time.by}`
    : null
}

/**
 * What a nonce may look like: letters, digits and the signs of base64, as long as ERC-4361 wants it, or with a digit as
 * no word of the text has, and with dots only as signed tokens have them, whose last part is longer than any top level of
 * a host. The nonce's own characters are not judged where they stand in the text, so one that read as a host, an address
 * or a chain would hide it there.
 */
const NONCE = /^[\w+/=~-]{8,}$|^(?=\D*\d)[\w-]{4,7}$|^[\w.-]+\.[\w-]{20,}$/
const NO_NONCE = /0x[0-9a-f]{40}(?![0-9a-f])|localhost|xn--/i
/** Digits alone, as of a time, and too many for a year. */
const NUMBER = /^\d{8,}$/
/** Changes between small letters, capitals and digits; words have one at most, as `StarkNet` and `EIP-712` do. */
const CHANGES = /[a-z](?=[A-Z\d])|[A-Z](?=\d)|\d(?=[A-Za-z])/g
const CHANGES_MIN = 2

const canBeNonce = (text: string): boolean => NONCE.test(text) && !NO_NONCE.test(text)

/**
 * Whether a nonce may be a word of a text that was written for something else: there are texts without any nonce whose
 * signature gives away the keys of an account elsewhere, and a service could call one of their words its nonce.
 */
function mayBeWord(nonce: string): boolean {
  const changes = nonce.replaceAll(/[^A-Za-z\d]/g, '').match(CHANGES)?.length ?? 0
  return !NUMBER.test(nonce) && changes < CHANGES_MIN
}
