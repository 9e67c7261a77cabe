import { secretForms } from './secret-forms.js'

/** What stands in place of a secret. Safe inside JSON strings, HTML, URLs and plain text. */
export const REDACTED = '[redacted]'

/** Takes secrets out of a finished text. */
export type Redactor = (text: string) => string

/** Shorter values would be found by chance in every line, so they are replaced only where they are a whole quoted string. */
const MIN_VALUE_LENGTH = 4

/** Words that make a name a secret's name, wherever they stand in it and however it is cased. */
const SECRET_WORDS =
  'authorization|password|passwd|passphrase|secret|token|signature|cookie|credential|mnemonic|access[-_]?key|api[-_]?key|private[-_]?key'
/**
 * The end of a name that holds one of the words, from that word on: what stands before it stays anyway, and each place is
 * looked at once, so that a long text costs linear time.
 */
const NAME = `(?:${SECRET_WORDS})[\\w.-]{0,60}`

/**
 * Texts from outside stand in strings of JSON and in HTML, where their own quotes are escaped. So no pattern goes on past the end of
 * such a string: a plain `"` after a name is that end if what follows it is structure, and a value contains none.
 */
const BY_NAME: readonly (readonly [RegExp, string])[] = [
  // "key": "value", also with the quotes escaped once (JSON inside a JSON string)
  [new RegExp(`(${NAME}"\\s*:\\s*)"(?:\\\\.|[^"\\\\])*"`, 'gi'), `$1"${REDACTED}"`],
  [new RegExp(`(${NAME}\\\\"\\s*:\\s*)\\\\"(?:[^"\\\\\\n]|\\\\[^"\\n])*\\\\"`, 'gi'), `$1\\"${REDACTED}\\"`],
  // "key": 1234 and "keys": ["a", "b"]
  [new RegExp(`(${NAME}"\\s*:\\s*)(?:-?\\d[\\d.eE+-]*|\\[[^\\[\\]{}]*\\])`, 'gi'), `$1"${REDACTED}"`],
  // name: "value" and name='value' of pretty-printed logs and headers
  [new RegExp(`(${NAME}\\s*[:=]\\s*)"(?![\\s,:>\\]}])(?:[^"\\\\<\\n]|\\\\.)+"`, 'gi'), `$1"${REDACTED}"`],
  [new RegExp(`(${NAME}\\s*[:=]\\s*)'(?:[^'"\\\\<\\n]|\\\\[^"\\n])+'`, 'gi'), `$1'${REDACTED}'`],
  // name=value of queries, forms, environments; a *_FILE setting names a path, which is no secret
  [new RegExp(`((?![\\w.-]{0,120}_FILE=)${NAME}=)(?!["'\\\\])[^\\s"'&;,<>{}\\\\]+`, 'gi'), `$1${REDACTED}`],
  // Authorization: Bearer value, Service-Signature: value, Cookie: a=b
  [/(\bauthorization\s*:\s*)(?!["'\\])[^"'\r\n\\<>]+/gi, `$1${REDACTED}`],
  [/(\b(?:set-)?cookie\s*:\s*)(?!["'\\])[^"'\r\n\\<>]+/gi, `$1${REDACTED}`],
  [/(-(?:signature|token|secret|password|access-key|api-key)\s*:\s*)(?!["'\\])[^\s"',\\<>]+/gi, `$1${REDACTED}`],
]

const BY_SHAPE: readonly (readonly [RegExp, string])[] = [
  // user:password@ of a URL; the user stays, because it helps to see which account was meant. Content addresses have
  // no users, and are ids of assets.
  [
    /(\b(?!ipfs:|ipns:)[a-z][a-z0-9+.-]{0,20}:\/\/[^\s/?#"'<>\\:@]{0,200}):[^\s/?#"'<>\\]{0,1000}@/gi,
    `$1:${REDACTED}@`,
  ],
  [/(\b(?!ipfs:|ipns:)[a-z][a-z0-9+.-]{0,20}:\/\/)(?!\[redacted\])[^\s/?#"'<>\\:@]{1,1000}@/gi, `$1${REDACTED}@`],
  [/(\b(?:bearer|basic)\s+)[\w.~+/=-]{8,}/gi, `$1${REDACTED}`],
  [/(?<![\w-])eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}/g, REDACTED],
  [
    /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----(?:(?!-----BEGIN)[^"<>]){0,8000}?-----END [A-Z ]{0,40}PRIVATE KEY-----/g,
    REDACTED,
  ],
]

/** A value that can stand in JSON without quotes; its replacement must include the quotes. */
const BARE_JSON = /^(?:-?\d[\d.eE+-]*|true|false|null)$/

/**
 * Makes the last filter that every log line, error, page and dump goes through before it is written: the known secret
 * values in all their encodings, then whatever has the name or the shape of a secret.
 * A JSON text stays JSON.
 * @param secrets values known at start: signing secret, access key, passwords, tokens; empty ones are ignored
 * @param keepKeys for a JSON text whose keys are those of this program: its reader needs them, whatever the secrets are
 */
export function createRedactor(secrets: readonly string[], keepKeys = false): Redactor {
  const distinct = [...new Set(secrets)].filter((secret) => secret.length > 0)
  const byValue = valuePatterns(distinct, keepKeys)
  return (text) => {
    let clean = text
    for (const [pattern, replacement] of byValue) clean = clean.replace(pattern, replacement)
    for (const [pattern, replacement] of BY_NAME) clean = clean.replace(pattern, replacement)
    for (const [pattern, replacement] of BY_SHAPE) clean = clean.replace(pattern, replacement)
    return clean
  }
}

/** Behind a text that is no part of a key in JSON. */
const NO_KEY = '(?!(?<=[{,]\\s{0,100}"[\\w-]{1,100})[\\w-]{0,100}"\\s*:)'

function valuePatterns(secrets: readonly string[], keepKeys: boolean): [RegExp, string][] {
  const patterns: [RegExp, string][] = []
  const short = secrets.filter((secret) => secret.length < MIN_VALUE_LENGTH)
  if (short.length > 0)
    patterns.push([
      new RegExp(`(["'])(?:${alternation(short)})\\1${keepKeys ? '(?!\\s*:)' : ''}`, 'g'),
      `$1${REDACTED}$1`,
    ])
  const forms = new Set(secrets.filter((secret) => secret.length >= MIN_VALUE_LENGTH).flatMap(secretForms))
  // The longest first, so that no form leaves a tail of a longer one behind.
  const texts = [...forms].filter((form) => !BARE_JSON.test(form)).sort((a, b) => b.length - a.length)
  if (texts.length > 0) patterns.push([new RegExp(`(?:${alternation(texts)})${keepKeys ? NO_KEY : ''}`, 'g'), REDACTED])
  const bare = alternation([...forms].filter((form) => BARE_JSON.test(form)))
  if (bare === '') return patterns
  patterns.push([new RegExp(`(?<=[:[,]\\s{0,8})(?:${bare})(?=\\s*[,}\\]])`, 'g'), `"${REDACTED}"`])
  // A number that is a secret is not cut out of a longer number: that would break the JSON around it.
  patterns.push([new RegExp(`(?<!\\w|\\d\\.)(?:${bare})(?!\\w|\\.\\d)`, 'g'), REDACTED])
  return patterns
}

const alternation = (texts: readonly string[]): string =>
  texts.map((text) => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|')
