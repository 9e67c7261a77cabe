import { describe, expect, it } from 'vitest'
import { html } from '../../src/observe/console/html.js'
import { createRedactor, REDACTED } from '../../src/observe/redaction.js'
import { secretForms } from '../../src/observe/secret-forms.js'

const SIGNING = 'sk/Live+secret="quote"&<tag> 100%é'
const ACCESS = 'ak_att_0123456789abcdef'
const redact = createRedactor([SIGNING, ACCESS, ''])

describe('secret values', () => {
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  const rows: [string, string][] = [
    ['as it is', `got ${SIGNING} back`],
    ['twice in a line', `${ACCESS} and ${ACCESS}`],
    ['JSON-escaped', JSON.stringify({ body: SIGNING })],
    ['JSON in JSON', JSON.stringify({ body: JSON.stringify({ inner: SIGNING }) })],
    ['percent-encoded', `https://host/x?k=${encodeURIComponent(SIGNING)}&b=1`],
    ['percent-encoded in lower case', encodeURIComponent(SIGNING).replaceAll(/%../g, (hex) => hex.toLowerCase())],
    ['form-encoded', new URLSearchParams({ q: SIGNING }).toString()],
    [
      'HTML-escaped',
      SIGNING.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
    ],
    ['base64', base64(SIGNING)],
    ['base64 after one byte', base64(`a${SIGNING}`)],
    ['base64 in the middle', base64(`user:${SIGNING}, and more`)],
    ['base64url', Buffer.from(SIGNING).toString('base64url')],
    ['hex', Buffer.from(SIGNING).toString('hex')],
  ]
  it.each(rows)('%s', (_name, text) => {
    const clean = redact(text)
    expect(clean).toContain(REDACTED)
    for (const form of [...secretForms(SIGNING), ...secretForms(ACCESS)]) expect(clean).not.toContain(form)
  })

  it('leaves a text without secrets alone', () => {
    const text = '{"level":"info","asset":"a1","reason":"stake-low","port":6379,"msg":"Held: stake is 5 wei"}'
    expect(redact(text)).toBe(text)
  })

  it('treats pattern characters of a secret as text', () => {
    const odd = createRedactor(['a.c*(d)[e]^$|\\x', '-dash/slash'])
    expect(odd('a.c*(d)[e]^$|\\x -dash/slash abcccd')).toBe(`${REDACTED} ${REDACTED} abcccd`)
  })

  it('takes the longer of two secrets with the same beginning', () => {
    expect(createRedactor(['abcdef', 'abcdefgh'])('abcdefgh.')).toBe(`${REDACTED}.`)
  })

  it('replaces very short secrets only where they are a whole quoted string', () => {
    const short = createRedactor(['in', '7'])
    expect(short('{"what":"in","count":7,"msg":"in time, 7 of 17"}')).toBe(
      `{"what":"${REDACTED}","count":7,"msg":"in time, 7 of 17"}`,
    )
  })

  it.each(['12345678', 'true', 'null'])('keeps JSON valid where the secret is %s', (secret) => {
    const text = `{"a":${secret},"b":[${secret}, 1],"c":"x ${secret} y","d":912345678000}`
    const clean = createRedactor([secret])(text)
    expect(JSON.parse(clean)).toEqual({ a: REDACTED, b: [REDACTED, 1], c: `x ${REDACTED} y`, d: 912345678000 })
  })

  it.each(['version', 'ers', 'vers', 'roles-held'])('keeps the keys of JSON where the secret is %s', (secret) => {
    const text = (value: string) => JSON.stringify({ version: 1, 'roles-held': [value, { ers: value }] }, null, 2)
    expect(createRedactor([secret], true)(text(secret))).toBe(text(REDACTED))
    expect(createRedactor([secret])(text(secret))).not.toContain(`${secret}":`)
  })

  it('replaces what only looks like a key in external text', () => {
    const text = JSON.stringify({ msg: JSON.stringify({ hunter22: 1 }) })
    expect(createRedactor(['hunter22'], true)(text)).not.toContain('hunter22')
  })

  it('finds a number that ends a sentence', () => {
    expect(createRedactor(['12345678'])('The password is 12345678.')).not.toContain('12345678')
  })
})

describe('a name or shape of a secret', () => {
  const none = createRedactor([])
  const rows: [string, string][] = [
    ['{"password":"hunter2!"}', `{"password":"${REDACTED}"}`],
    ['{"httpPassword": "a\\"b", "n":1}', `{"httpPassword": "${REDACTED}", "n":1}`],
    ['{"Service-Signature":"ab12"}', `{"Service-Signature":"${REDACTED}"}`],
    ['{"x-service-access-key":"ak"}', `{"x-service-access-key":"${REDACTED}"}`],
    ['{"token":123456}', `{"token":"${REDACTED}"}`],
    ['{"refreshTokens":["a","b"]}', `{"refreshTokens":"${REDACTED}"}`],
    ['{"raw":"{\\"signingSecret\\":\\"abc\\"}"}', `{"raw":"{\\"signingSecret\\":\\"${REDACTED}\\"}"}`],
    ['signingSecret: "abc def"', `signingSecret: "${REDACTED}"`],
    ["apiKey='abc def'", `apiKey='${REDACTED}'`],
    ['https://h/p?token=abc&x=1', `https://h/p?token=${REDACTED}&x=1`],
    ['ATTESTD_SIGNING_SECRET=abc ATTESTD_LOG_LEVEL=info', `ATTESTD_SIGNING_SECRET=${REDACTED} ATTESTD_LOG_LEVEL=info`],
    ['Authorization: Basic dXNlcjpwYXNz', `Authorization: ${REDACTED}`],
    ['Service-Signature: 00ff, next', `Service-Signature: ${REDACTED}, next`],
    ['sent Bearer abcdefgh.ijkl to it', `sent Bearer ${REDACTED} to it`],
    ['Cookie: a=b; c=d', `Cookie: ${REDACTED}`],
    ['redis://user:pa55@host:6379/0', `redis://user:${REDACTED}@host:6379/0`],
    ['rediss://:p:a@55@host:6379', `rediss://:${REDACTED}@host:6379`],
    ['https://ghp_token123@host/x', `https://${REDACTED}@host/x`],
    ['x eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.c2lnbmF0dXJl y', `x ${REDACTED} y`],
    ['-----BEGIN EC PRIVATE KEY-----\nMHc\n-----END EC PRIVATE KEY-----', REDACTED],
  ]
  it.each(rows)('%s', (text, expected) => {
    expect(none(text)).toBe(expected)
    expect(none(expected)).toBe(expected)
  })

  it.each([
    'ATTESTD_SIGNING_SECRET: expected at least 16 characters, got 3.',
    'Check ATTESTD_ACCESS_KEY and ATTESTD_SIGNING_SECRET, and that the key was not revoked.',
    'ATTESTD_SIGNING_SECRET_FILE=/run/secrets/signing',
    'redis://host:6379/0 and https://host:8080/a@b',
    'contentHash 0x00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff',
    'The service refused the credentials (401).',
    'basic block of a book',
    'ipfs://user@bafybeigdyrzt/a.jpg and ipns://a:b@c',
  ])('leaves alone: %s', (text) => {
    expect(none(text)).toBe(text)
  })

  // Of these, a pattern that looks at a place more than once took seconds to hours; the limit of a test is the measure.
  it.each([
    'secretsecret-',
    'a-',
    'a.',
    'eyJ-',
    'token ',
    'token":[',
    "token='",
    '"',
    'a://',
    ' ',
    '-----BEGIN PRIVATE KEY-----',
  ])('takes linear time for %j repeated', (piece) => {
    const long = piece.repeat(1_000_000 / piece.length)
    const withNumber = createRedactor(['12345678'])
    expect(withNumber(long).length).toBeGreaterThan(1000)
  })
})

describe('external texts next to each other', () => {
  const opening = [
    'token=',
    'your token:',
    "token='",
    'secret = ',
    'password: "',
    'token": "',
    'token":"',
    '-----BEGIN PRIVATE KEY-----',
    'cookie: ',
    'x://a:',
  ]
  const closing = ["it's", 'a "b" c', '"', '-----END PRIVATE KEY-----', '@', ']', '\\']
  const pairs = opening.flatMap((first) => closing.map((last) => [first, last] as const))

  it.each(pairs)('%j and later %j hide nothing between them, and JSON stays JSON', (first, last) => {
    for (const value of [{ first, kept: 'kept', last }, [{ row: { first } }, { kept: 'kept' }, last]]) {
      const text = JSON.stringify(value)
      for (const line of [text, JSON.stringify(value, null, 2), JSON.stringify({ body: text })])
        expect(JSON.stringify(JSON.parse(redact(line)))).toContain('kept')
    }
  })

  it.each(pairs)('%j and later %j hide nothing between them on a page', (first, last) => {
    const page = html`<a aria-label="${first}">one</a><p>kept</p><i>${first}</i><b>kept, too</b><i>${last}</i><a title="${last}">`
    const clean = redact(page.text)
    expect(clean.match(/<[a-z]+/g)).toEqual(page.text.match(/<[a-z]+/g))
    expect(clean).toMatch(/^<a aria-label="[^"]*">one<.*>kept<.*>kept, too</)
  })
})
