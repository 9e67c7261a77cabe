import { describe, expect, it } from 'vitest'
import {
  accessPolicy,
  hasBearer,
  isCrossSiteWrite,
  isLoopbackHostHeader,
  sameSecret,
} from '../../src/observe/http-access.js'

it.each([
  ['127.0.0.1', undefined, 'open', true],
  ['127.9.9.9', undefined, 'open', true],
  ['localhost', undefined, 'open', true],
  ['::1', undefined, 'open', true],
  ['::ffff:127.0.0.1', undefined, 'open', true],
  ['0.0.0.0', undefined, 'refused', false],
  ['::', undefined, 'refused', false],
  ['192.168.1.5', undefined, 'refused', false],
  ['attestd.example', undefined, 'refused', false],
  ['127.0.0.1', 'secret', 'password', true],
  ['0.0.0.0', 'secret', 'password', false],
])('accessPolicy on %s with the password %s pages are %s', (host, password, pages, loopbackHostOnly) => {
  expect(accessPolicy(host, password)).toEqual({ pages, loopbackHostOnly })
})

describe('isLoopbackHostHeader', () => {
  it.each(['localhost', 'LOCALHOST:80', '127.0.0.1', '127.0.0.1:65535', '[::1]', '[::1]:8780', 'x.localhost:1'])(
    '%s names this machine',
    (header) => {
      expect(isLoopbackHostHeader(header)).toBe(true)
    },
  )

  it.each([
    undefined,
    '',
    ':80',
    '::1',
    '[::1',
    '[::2]',
    '10.0.0.1',
    '127.0.0.1:123456',
    '127.0.0.1:',
    '127.0.0.1:80:80',
    'localhost@evil.example',
    'localhost/evil',
    'localhost?x',
    'localhost#x',
    '.localhost',
    'notlocalhost',
    '0x7f000001.example',
    '127.0.0.1.evil.example',
    'localhost.evil.example:80',
    '127.evil.example',
    'user@localhost',
  ])('%s does not', (header) => {
    expect(isLoopbackHostHeader(header)).toBe(false)
  })
})

describe('isCrossSiteWrite', () => {
  const host = 'attestd.local:8780'

  it.each(['GET', 'HEAD', 'OPTIONS'])('%s is no write, from any origin', (method) => {
    expect(isCrossSiteWrite(method, { host, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' })).toBe(
      false,
    )
  })

  it.each([
    ['no browser', {}, false],
    ['the same origin', { 'sec-fetch-site': 'same-origin' }, false],
    ['a typed address', { 'sec-fetch-site': 'none' }, false],
    ['another site', { 'sec-fetch-site': 'cross-site' }, true],
    ['a sister site', { 'sec-fetch-site': 'same-site' }, true],
    ['an unknown word', { 'sec-fetch-site': 'whatever' }, true],
    ['an older browser on this page', { origin: `http://${host}` }, false],
    ['an older browser on another page', { origin: 'http://evil.example' }, true],
    ['another port', { origin: 'http://attestd.local:8781' }, true],
    ['a sandboxed page', { origin: 'null' }, true],
    ['no address', { origin: 'nonsense' }, true],
    [
      'same-origin by one header and another origin by the other',
      { 'sec-fetch-site': 'same-origin', origin: 'http://evil.example' },
      true,
    ],
  ])('a write from %s', (_, headers, isCrossSite) => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      expect(isCrossSiteWrite(method, { host, ...headers })).toBe(isCrossSite)
  })
})

describe('hasBearer', () => {
  const token = 'a-token_of.this+run'

  it.each([`Bearer ${token}`, `bearer ${token}`, `BEARER   ${token}`])('%s does', (header) => {
    expect(hasBearer(header, token)).toBe(true)
  })

  it.each([
    undefined,
    '',
    'Bearer',
    'Bearer ',
    token,
    `Basic ${token}`,
    `Bearer ${token}x`,
    `Bearer ${token} x`,
    `Bearer ${token.slice(1)}`,
    `x Bearer ${token}`,
    `Bearer${token}`,
  ])('%s does not', (header) => {
    expect(hasBearer(header, token)).toBe(false)
  })
})

it.each([
  ['secret', 'secret', true],
  ['secret', 'Secret', false],
  ['secre', 'secret', false],
  ['', 'secret', false],
  ['sécret', 'sécret', true],
])('%j and %j are the same secret: %s', (given, expected, isSame) => {
  expect(sameSecret(given, expected)).toBe(isSame)
})
