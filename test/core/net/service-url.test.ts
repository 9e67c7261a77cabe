import { expect, it } from 'vitest'
import { parseServiceUrl } from '../../../src/core/net/service-url.js'

it.each([
  ['https://service.example', 'https://service.example/'],
  ['https://service.example:8443/', 'https://service.example:8443/'],
  ['http://localhost:3000', 'http://localhost:3000/'],
  ['http://127.0.0.1:3000', 'http://127.0.0.1:3000/'],
  ['http://[::1]:3000', 'http://[::1]:3000/'],
])('takes %s', (text, href) => {
  expect(parseServiceUrl(text).href).toBe(href)
})

it.each([
  'service.example',
  '',
  'ftp://service.example',
  'http://service.example',
  'http://10.0.0.7:3000',
  'http://127.0.0.1.evil.example',
  'https://user:secret@service.example',
  'https://service.example/api',
  'https://service.example/?a=1',
])('refuses %j', (text) => {
  expect(() => parseServiceUrl(text)).toThrow(expect.objectContaining({ reason: 'setting-invalid' }))
})

it('does not repeat a password that stands in the URL', () => {
  expect(() => parseServiceUrl('https://user:secret@service.example')).toThrow(
    expect.objectContaining({ message: expect.not.stringContaining('secret') }),
  )
})

it('takes plain HTTP elsewhere where that is allowed', () => {
  expect(parseServiceUrl('http://sandbox:3000', { allowInsecure: true }).href).toBe('http://sandbox:3000/')
})
