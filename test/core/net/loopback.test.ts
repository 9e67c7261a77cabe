import { expect, it } from 'vitest'
import { isLoopback } from '../../../src/core/net/loopback.js'

it.each([
  'localhost',
  'LOCALHOST',
  'sandbox.localhost',
  '127.0.0.1',
  '127.1.2.3',
  '::1',
  '::1%lo',
  '[::1]',
  '0:0:0:0:0:0:0:1',
  '::ffff:127.0.0.1',
  '[::ffff:7f00:1]',
])('%s is this machine', (host) => {
  expect(isLoopback(host)).toBe(true)
})

it.each([
  '',
  '.localhost',
  'localhost.example',
  'notlocalhost',
  'service.example',
  '0.0.0.0',
  '::',
  '10.0.0.1',
  '128.0.0.1',
  '127.0.0.1.example',
  '127.1',
  '2130706433',
  '::ffff:10.0.0.1',
  '[::1',
])('%j may be another machine', (host) => {
  expect(isLoopback(host)).toBe(false)
})
