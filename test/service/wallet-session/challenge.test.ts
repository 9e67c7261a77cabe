import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { createSiweMessage } from 'viem/siwe'
import { describe, expect, it } from 'vitest'
import type { StatedTime } from '../../../src/core/clock.js'
import { AttestdError } from '../../../src/core/errors.js'
import { checkChallenge } from '../../../src/service/wallet-session/challenge.js'

const { address } = privateKeyToAccount(generatePrivateKey())
const OTHER = '0x1111111111111111111111111111111111111111'
const NOW = Date.UTC(2026, 5, 1, 12)
const NONCE = 'Zx81kkPq02mN'
const LATER = new Date(NOW + 300_000)
const EARLIER = new Date(NOW - 300_000)

const facts = {
  address,
  chainId: 84532,
  domain: 'verify.example',
  nonce: NONCE,
  uri: 'https://verify.example/login',
  version: '1',
  statement: 'Sign in to attest.',
  issuedAt: new Date(NOW),
  expirationTime: LATER,
} as const
const siwe = (changes: Partial<Parameters<typeof createSiweMessage>[0]> = {}) =>
  createSiweMessage({ ...facts, ...changes })
const plain = `Welcome to the verification service!\nSign in as ${address}\nNonce: ${NONCE}`

function check(
  message: string,
  {
    domains = [] as string[],
    expiresAt = (LATER.getTime() / 1000) as unknown,
    nonce = NONCE,
    url = 'https://verify.example',
    time = { ms: NOW, by: 'the test' } as StatedTime | null,
  } = {},
) {
  checkChallenge(
    { message, nonce, expiresAt: expiresAt as number },
    { origin: new URL(url), domains, address, chainId: 84532, time },
  )
}

describe('a challenge is signed', () => {
  it('if it expired at a service that has stated no time, which the local clock does not judge', () => {
    check(siwe({ expirationTime: EARLIER }), { expiresAt: EARLIER.getTime() / 1000, time: null })
    check(siwe({ notBefore: LATER }), { time: null })
  })

  it.each<[string, string]>([
    ['a whole sign-in message', siwe()],
    ['one with a scheme before its domain', siwe({ scheme: 'https' })],
    ['one with a request id', siwe({ requestId: 'r-1' })],
    ['one that begins now', siwe({ notBefore: new Date(NOW) })],
    ['one without a statement', siwe({ statement: undefined })],
    ['one without an expiry', siwe({ expirationTime: undefined })],
    ['one with the address in small letters', siwe().replace(address, address.toLowerCase())],
    ['one line', `Sign in with nonce ${NONCE}`],
    ['a nonce between quotes', `Please sign "${NONCE}" to log in.`],
    ['labels as in a query', `attestd-login nonce=${NONCE} address=${address} chainId=84532`],
    ['a plain text', plain],
    ['words of another language', `Anmeldung – bitte bestätigen: ${NONCE}`],
    ['its own host in the text', `Sign in to verify.example (https://verify.example/terms).\nNonce: ${NONCE}.`],
    ['an expiry to come', `${plain}\nExpires at: ${LATER.toISOString()}`],
    ['an expiry as a Unix time', `${plain}\nExpires: ${LATER.getTime() / 1000}`],
    ['line ends of another system', plain.replaceAll('\n', '\r\n')],
    ['a sign-in message with line ends of another system', siwe().replaceAll('\n', '\r\n')],
    ['a tab', plain.replace('Nonce: ', 'Nonce:\t')],
    ['terms of the service elsewhere', siwe({ statement: 'I accept the terms: https://legal.example/tos' })],
    [
      'terms elsewhere in a text that states our host',
      `${plain}\nfor verify.example\nhttps://site.example/legal/terms.html`,
    ],
    ['an expiry as a duration', `${plain}\nThis message expires in 5 minutes.`],
  ])('%s', (_, message) => {
    expect(() => check(message)).not.toThrow()
  })

  it.each<[string, string]>([
    ['127.0.0.1:4801', 'http://127.0.0.1:4801'],
    ['127.0.0.1', 'http://127.0.0.1:4801'],
    ['localhost:4801', 'http://localhost:4801'],
    ['[::1]:4801', 'http://[::1]:4801'],
    ['VERIFY.example:443', 'https://verify.example'],
  ])('for the host %s of %s', (domain, url) => {
    const message = siwe()
      .replaceAll('https://verify.example/login', `${url}/login`)
      .replaceAll('verify.example', domain)
    expect(() => check(message, { url })).not.toThrow()
  })

  it.each([LATER.getTime(), LATER.toISOString(), String(LATER.getTime() / 1000), 300, 'soon', NOW / 1000 - 30])(
    'with %j as its expiresAt, whose unit is not stated',
    (expiresAt) => {
      expect(() => check(plain, { expiresAt })).not.toThrow()
    },
  )
})

const hex = (bytes: number) => 'a7'.repeat(bytes)
const typedData = JSON.stringify({
  primaryType: 'Permit',
  domain: { name: 'USDC' },
  message: { nonce: NONCE, value: '1' },
})

describe('a challenge is never signed', () => {
  it.each<[string, string, RegExp?]>([
    // meant for another place
    ['another domain', siwe({ domain: 'evil.example' }), /domain.*evil\.example/],
    ['another port', siwe({ domain: 'verify.example:8443' }), /domain/],
    ['a longer domain', siwe({ domain: 'verify.example.evil.example' }), /domain/],
    ['a subdomain', siwe({ domain: 'sub.verify.example' }), /domain/],
    ['another URI', siwe({ uri: 'https://evil.example/login' }), /evil\.example/],
    ['a URI with our domain as its user', siwe({ uri: 'https://verify.example@evil.example/' }), /place/],
    ['a URI that is no web address', siwe({ uri: 'did:key:z6Mk' }), /no web address/],
    ['a domain that only looks ours', siwe().replaceAll('verify.example', 'verify.еxample'), /another place/],
    ['a domain in wide letters', siwe().replaceAll('verify.example', 'ｅvil.example'), /another place/],
    ['another site in the statement', siwe({ statement: 'Also log in to opensea.io now.' }), /opensea\.io/],
    ['another site by number', siwe({ statement: 'Also log in to 10.1.2.3 now.' }), /10\.1\.2\.3/],
    ['another site on this machine', siwe({ statement: 'Also log in to localhost:9 now.' }), /localhost/],
    ['a mailbox elsewhere', siwe({ statement: 'Write to me@evil.example.' }), /evil\.example/],
    ['another site in a plain text', `${plain}\nfor https://evil.example.`, /evil\.example/],
    [
      'another site’s message with ours inside',
      siwe({ domain: 'evil.example', statement: undefined }).replace('\n\n', `\n\n${siwe().replaceAll('\n', ' ')}\n\n`),
      /domain|second/,
    ],
    ['a second message after ours', `${siwe()}\n\n${siwe({ domain: 'evil.example' })}`, /domain/],
    ['two messages of ours', `${siwe()}\n\n${siwe()}`, /second/],
    ['a message after a preface', `I agree.\n${siwe()}`, /begin/],
    [
      'a message for another site in plain words',
      `evil wants you to sign in with your Ethereum account:\n${address}\nNonce: ${NONCE}`,
      /domain/,
    ],
    ['terms of another site', `${plain}\nTerms: https://evil.example/terms`, /evil\.example/],
    [
      'terms of another site, and its name',
      `verify.example\n${plain}\nhttps://evil.example/terms evil.example`,
      /evil/,
    ],
    ['a link elsewhere that is no terms', siwe({ statement: 'See https://evil.example/login' }), /evil\.example/],
    ['terms behind credentials', siwe({ statement: 'See https://a@evil.example/terms' }), /evil\.example/],
    [
      'a sign-in message of another site with its terms',
      siwe({ domain: 'evil.example', statement: 'See https://evil.example/tos' }),
      /evil\.example/,
    ],
    ['a labeled domain', `${plain}\nDomain: intranet`, /domain/],
    // meant for another wallet or chain
    ['another address', siwe({ address: OTHER }), /another address/],
    ['a second address', `${plain}\nand ${OTHER}`, /another address/],
    ['an address in the statement', siwe({ statement: `I approve ${OTHER}.` }), /another address/],
    ['another chain', siwe({ chainId: 1 }), /another chain/],
    ['another chain in a plain text', `${plain}\nchainId: 0x1`, /another chain/],
    ['another chain by its CAIP name', `${plain}\neip155:1:${address}`, /another chain/],
    // nonce and time
    ['another nonce', siwe({ nonce: 'otherOther12' }), /nonce/],
    ['no nonce', 'Sign in, please.', /nonce/],
    ['the nonce inside another word', `Sign in with x${NONCE}x`, /nonce/],
    ['two nonces', `${plain}\nNonce: other`, /another nonce/],
    ['our nonce in the statement of another', siwe({ nonce: 'otherOther12', statement: `About ${NONCE}.` }), /nonce/],
    ['an expiry that has passed', siwe({ expirationTime: EARLIER }), /expired/],
    ['an expiry that has passed in a plain text', `${plain}\nValid until ${EARLIER.toISOString()}`, /expired/],
    ['one without a zone', `${plain}\nExpires 2026-06-01 11:00`, /expired/],
    ['one as a Unix time', `${plain}\nexpiresAt=${EARLIER.getTime() / 1000}`, /expired/],
    ['one as an HTTP date', `${plain}\nExpires: ${EARLIER.toUTCString()}`, /expired/],
    ['a time to come', siwe({ notBefore: LATER }), /not valid yet/],
    // other things to sign
    ['nothing', '', /nonce/],
    ['the nonce alone', NONCE, /nothing but the nonce/],
    ['a hash', `0x${hex(32)} ${NONCE}`, /hex/],
    ['a hash in a text', `Sign in: ${hex(32)} with ${NONCE}`, /hex/],
    ['a transaction in RLP', `Sign in 0x02f8${hex(120)} ${NONCE}`, /hex/],
    ['words after 0x', `0x sign in ${NONCE}`, /hex/],
    ['base64', `Sign in ${NONCE} ${'QWxhZGRpbjpvcGVu'.repeat(20)}`, /data/],
    ['typed data', typedData, /data/],
    ['typed data after words', `Sign in ${NONCE} ${typedData}`, /typed data/],
    ['JSON', JSON.stringify([`Sign in ${NONCE}`]), /data/],
    ['a JSON text', JSON.stringify(`Sign in ${NONCE}`), /data/],
    ['a transaction in JSON', `{"to":"${address}","value":"0x1","nonce":"${NONCE}"}`, /data/],
    ['the prefix of EIP-191', `\x19Ethereum Signed Message:\n10Sign in ${NONCE}`, /cannot be seen/],
    ['the prefix without its first byte', `Ethereum Signed Message:\n10Sign in ${NONCE}`, /another signature/],
    ['the prefix of EIP-712', `\x19\x01Sign in ${NONCE}`, /cannot be seen/],
    ['rights to resources', siwe({ resources: ['https://verify.example/x'] }), /resources/],
    ['a capability', siwe({ statement: 'I authorize urn:recap:abc now.' }), /web address/],
    // what cannot be seen
    ['a control character', `${plain}\u0007`, /cannot be seen/],
    ['a NUL', `${plain}\u0000`, /cannot be seen/],
    ['a carriage return', `${plain}\rOther`, /cannot be seen/],
    ['a tab within the fields', siwe().replace('Version: 1', 'Version:\t1'), /fields/],
    ['an escape sequence', `${plain}\u001b[2K`, /cannot be seen/],
    ['a turn of direction', `${plain}\u202e`, /cannot be seen/],
    ['an isolate', `${plain}\u2066`, /cannot be seen/],
    ['a zero width space', `${plain}\u200b`, /cannot be seen/],
    ['a zero width joiner', `${plain}\u200d`, /cannot be seen/],
    ['a soft hyphen', `${plain}\u00ad`, /cannot be seen/],
    ['a filler', `${plain}\u3164`, /cannot be seen/],
    ['tag characters', `${plain}\u{e0041}`, /cannot be seen/],
    ['a line separator', `${plain}\u2028`, /cannot be seen/],
    ['half a surrogate pair', `${plain}\ud800`, /cannot be seen/],
    ['a private character', `${plain}\ue000`, /cannot be seen/],
    ['too much', `${plain} ${'word '.repeat(1000)}`, /bytes/],
    // not a whole sign-in message
    ['a message without a URI', siwe().replace(/^URI: .*\n/m, ''), /URI/],
    ['a message of another version', siwe().replace('Version: 1', 'Version: 2'), /version/],
    ['a message without a version', siwe().replace('Version: 1\n', ''), /fields/],
    ['a field twice', siwe().replace('Version: 1', 'Version: 1\nVersion: 1'), /fields/],
    ['an unknown field', `${siwe()}\nDelegate: yes`, /fields/],
    ['fields out of order', siwe().replace(/(Version: 1)\n(Chain ID: 84532)/, '$2\n$1'), /fields/],
    ['text after the fields', `${siwe()}\nand all else`, /fields/],
    ['several lines of statement', siwe({ statement: 'One.' }).replace('One.', 'One.\nTwo.'), /statement/],
    ['an unreadable expiry', siwe().replace(LATER.toISOString(), 'never'), /cannot be read/],
  ])('%s', (_, message, wrong = /./) => {
    const error = thrownBy(() => check(message))
    expect(error).toMatchObject({ reason: 'challenge-untrusted', ambiguous: false })
    expect(error.message).toMatch(wrong)
    // Says what is wrong with it, and repeats neither the text nor the nonce.
    expect(error.message.length).toBeLessThan(350)
    expect(error.message).not.toContain(NONCE)
  })

  it.each([EARLIER.getTime(), EARLIER.getTime() / 1000, EARLIER.toISOString()])(
    'after its expiresAt, %j',
    (expiresAt) => {
      expect(thrownBy(() => check(plain, { expiresAt }))).toMatchObject({ message: expect.stringContaining('expired') })
    },
  )

  it('with a nonce that is part of what would be refused', () => {
    const nonce = `0x${hex(32)}`
    expect(() => check(`Sign in with ${nonce}`, { nonce })).not.toThrow()
    expect(thrownBy(() => check(nonce, { nonce }))).toBeInstanceOf(AttestdError)
  })

  it.each<[string, string, string]>([
    ['that is a host', 'Sign in to evil.example now.', 'evil.example'],
    ['that is a host and a path', 'Sign in to evil.example/login-page-1234 now.', 'evil.example/login-page-1234'],
    ['that is a web address', 'Sign in to https://evil.example now.', 'https://evil.example'],
    ['that is an address of IPv4', 'Sign in to 10.11.12.13 now.', '10.11.12.13'],
    ['that is this machine', 'Sign in to localhost now.', 'localhost'],
    ['that is a top level', 'Sign in to evil.technology now.', 'technology'],
    ['that is a name below a top level', 'Sign in to evilsite.io now.', 'evilsite'],
    ['that is a name with one below it', 'Sign in to www.evilsite1.io now.', 'evilsite1'],
    [
      'that is an international top level',
      'Sign in to evil.xn--vermgensberater-ctb now.',
      'evil.xn--vermgensberater-ctb',
    ],
    ['that is an address', `Sign in as ${OTHER}.`, OTHER],
    ['that is the hex of an address', `Sign in as ${OTHER}, ${OTHER.slice(2)}.`, OTHER.slice(2)],
    ['that is a chain', 'Sign in on chain id 11155111.', '11155111'],
    ['that is a chain after its label', 'Sign in on network: 11155111.', '11155111'],
    ['that is a word of typed data', 'Sign for the verifyingContract.', 'verifyingContract'],
    ['that is shorter than any', 'Sign in, please.', 'in'],
  ])('with a nonce %s', (_, message, nonce) => {
    expect(thrownBy(() => check(message, { nonce }))).toMatchObject({ reason: 'challenge-untrusted' })
  })

  it.each([
    ['a plain text', 'Sign in to app.verify.example:8443.'],
    ['a sign-in message', siwe({ domain: 'app.verify.example:8443', uri: 'https://app.verify.example:8443/login' })],
  ])('%s of the site, unless the operator named its host', (_, text) => {
    const message = text.includes(NONCE) ? text : `${text} Nonce: ${NONCE}`
    expect(thrownBy(() => check(message, { domains: ['app.verify.example'] }))).toMatchObject({
      reason: 'challenge-untrusted',
    })
    expect(() => check(message, { domains: ['app.verify.example:8443'] })).not.toThrow()
  })

  // Texts of other protocols that never change: their signature is what the keys of an account there are made of.
  it.each([
    ['generate', 'Sign this message to generate your Privacy Key. It lets the application decrypt your balance.'],
    ['application', 'Sign this message to generate your Privacy Key. It lets the application decrypt your balance.'],
    ['StarkNet', 'Derive your StarkNet key. Only sign this message for a trusted client!'],
    ['EIP-2645', 'Derive a key as in EIP-2645. Only sign this message for a trusted client!'],
    ['Layer2', 'Access your Layer2 account. Only sign this message for a trusted client!'],
    ['24-hours', 'This key is good for 24-hours. Only sign this message for a trusted client!'],
  ])('with a text in which the word %s is called the nonce', (nonce, message) => {
    expect(thrownBy(() => check(message, { nonce }))).toMatchObject({ message: expect.stringMatching(/as a word/) })
  })

  it('with a host of internationalized letters', () => {
    expect(thrownBy(() => check(`Sign in to कंपनी.भारत: ${NONCE}`))).toMatchObject({
      message: expect.stringMatching(/another domain/),
    })
  })
})

it.each([
  'c0ffee00-1234-4abc-9def-0123456789ab',
  'q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA=',
  'eyJhbGciOiJIUzI1NiJ9.eyJhIjoiMHgxMSIsImV4cCI6MTc1MDAwMDAwMH0.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
  '1717243200',
  'nonce-1',
  'a1b2',
  'kdTrEwQpLmNb',
  '4f9ce01b',
])('a nonce such as %s is accepted', (nonce) => {
  expect(() => check(`Sign in.\nNonce: ${nonce}`, { nonce })).not.toThrow()
  expect(() => check(`Sign in with ${nonce}.\n`, { nonce })).not.toThrow()
})

it.each(['abcdefgh', 'Layer2', 'lettersalone'])(
  'a nonce such as %s is accepted where the text names it as the nonce',
  (nonce) => {
    expect(() => check(`Sign in.\nNonce: ${nonce}`, { nonce })).not.toThrow()
    expect(() => check(`Sign in.\nnonce="${nonce}"`, { nonce })).not.toThrow()
  },
)

function thrownBy(act: () => void): AttestdError {
  try {
    act()
  } catch (error) {
    return error as AttestdError
  }
  throw new Error('was signed')
}
