import { describe, expect, it } from 'vitest'
import {
  ANSWERS,
  blockAnswer,
  chainIdAnswer,
  envelope,
  failedInContract,
  isBehind,
} from '../../src/chain/rpc-answers.js'
import { maskedEndpointText } from '../../src/chain/rpc-text.js'

const error = (message: string, code = -32_000) => ({ code, message })

describe('a refusal of an endpoint', () => {
  it.each([
    'header not found',
    'Block not found',
    'block 0x10 not available',
    'Unknown block',
    'Block is out of range',
    'cannot query unfinalized data after last accepted block',
  ])('because it is behind: %s', (message) => {
    expect(isBehind(error(message))).toBe(true)
  })

  it.each(['method not found', 'rate limit exceeded', 'blocked by policy', ''])('for another reason: %j', (message) => {
    expect(isBehind(error(message))).toBe(false)
  })

  it.each([
    [error('execution reverted: no stake'), true],
    [error('any words', 3), true],
    [error('invalid opcode: INVALID'), true],
    [error('out of gas'), true],
    [error('stack underflow'), true],
    [error('VM execution error'), true],
    [error('header not found'), false],
    [error('rate limit', 429), false],
  ])('%j is an answer of the contract: %s', (refusal, expected) => {
    expect(failedInContract(refusal)).toBe(expected)
  })
})

describe('the shape of answers', () => {
  it.each([
    ['0x14a34', 84_532],
    ['0X1', undefined],
    ['0x', undefined],
    [`0x${'1'.padStart(64, '0')}`, 1],
    [`0x${'1'.padStart(65, '0')}`, undefined],
    [84_532, undefined],
    [`0x${(2n ** 53n - 1n).toString(16)}`, Number.MAX_SAFE_INTEGER],
    [`0x${(2n ** 53n).toString(16)}`, undefined],
  ])('the chain id %j is %j', (answer, id) => {
    expect(chainIdAnswer.safeParse(answer).data).toBe(id)
  })

  it.each([
    [
      { number: '0x7', timestamp: '0x64' },
      { number: 7n, timestamp: 100 },
    ],
    [
      { number: '0x7', timestamp: '0x64', hash: 'more' },
      { number: 7n, timestamp: 100 },
    ],
    [
      { number: '0x7', timestamp: `0x${(2n ** 40n - 1n).toString(16)}` },
      { number: 7n, timestamp: 2 ** 40 - 1 },
    ],
    [{ number: '0x7', timestamp: `0x${(2n ** 40n).toString(16)}` }, undefined],
    [{ number: null, timestamp: '0x64' }, undefined],
    [null, undefined],
  ])('a block, case %#', (answer, block) => {
    expect(blockAnswer.safeParse(answer).data).toEqual(block)
  })

  it.each([
    ['eth_call', '0x', true],
    ['eth_call', '0x00ff', true],
    ['eth_call', '0x0', false],
    ['eth_call', null, false],
  ])('%s may answer %j: %s', (method, answer, taken) => {
    expect(ANSWERS[method]?.safeParse(answer).success).toBe(taken)
  })

  it.each([
    [{ id: 1, result: null }, true],
    [{ id: 1, result: '0x', jsonrpc: '2.0' }, true],
    [{ id: '1', result: '0x' }, false],
    [{ id: null, error: { code: 1, message: 'm' } }, true],
    [{ error: { code: 1, message: 'm', data: {} } }, true],
    [{ id: 1, error: { code: '1', message: 'm' } }, false],
    [{ id: 1, error: null }, false],
    [[], false],
  ])('%j is an answer: %s', (answer, taken) => {
    expect(envelope.safeParse(answer).success).toBe(taken)
  })
})

describe('the name of an endpoint', () => {
  const KEY = 'k3y0123456789'

  it.each([
    [`https://base.example/v2/${KEY}`, `no such path /v2/${KEY}`],
    [`https://base.example/v2/${KEY}`, `key ${KEY} has ended`],
    [`https://base.example/?apikey=${KEY}`, `bad query /?apikey=${KEY}`],
    [`https://me:${KEY}@base.example/`, `who is me:${KEY}?`],
    ['https://base.example/short', 'bad path /short'],
  ])('of %s holds no key: %s', (url, text) => {
    const masked = maskedEndpointText(text, url)
    expect(masked).toContain('••••••')
    expect(masked).not.toContain(KEY)
    expect(masked).not.toContain('/short')
  })

  it('is one short line', () => {
    expect(maskedEndpointText('a\nb', 'https://base.example')).toBe('a b')
    expect(maskedEndpointText('x'.repeat(300), 'https://base.example')).toHaveLength(200)
  })
})
