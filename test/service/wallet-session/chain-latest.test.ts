import { describe, expect, it } from 'vitest'
import { readLatestBlock } from '../../../src/service/wallet-session/chain-latest.js'

const CHAIN_ID = 84532

describe('chain time', () => {
  const time = 1_767_225_600
  it.each<[unknown]>([
    [{ number: 7, timestamp: time }],
    [{ blockNumber: '7', blockTimestamp: String(time) }],
    [{ number: '0x7', timestamp: `0x${time.toString(16)}`, chainId: String(CHAIN_ID) }],
    [{ number: 7, timestamp: time * 1000 + 999 }],
    [{ number: 7, timestamp: new Date(time * 1000).toISOString() }],
    [{ chainId: CHAIN_ID, block: { number: 7, timestamp: time } }],
    [{ latest: { blockNumber: 7, timestamp: time } }],
    [{ timestamp: time + 9, block: { number: 7, timestamp: time } }],
    [{ latestBlock: { number: 7, timestamp: time } }],
    [{ latestBlockNumber: 7, latestBlockTimestamp: time }],
    [{ block: 7, timestamp: time }],
    [{ blockNumber: 7, blockTime: time }],
    [{ latest_block_number: 7, latest_block_timestamp: time, chain_id: CHAIN_ID }],
    [{ result: { height: 7, latestTimestamp: time }, serverTime: 5 }],
    [{ latestBlock: '7', timestamp: '2026-01-01 00:00:00' }],
    [{ data: { block: { number: 7, time: '2026-01-01T00:00:00' } } }],
  ])('is read from %j', (reply) => {
    expect(readLatestBlock(reply, CHAIN_ID)).toEqual({ number: 7, timestamp: time })
  })

  it('may begin anywhere on a test chain', () => {
    expect(readLatestBlock({ number: 0, timestamp: 12 }, CHAIN_ID)).toEqual({ number: 0, timestamp: 12 })
  })

  it.each<[unknown, RegExp]>([
    [{}, /number/],
    [[], /number/],
    [{ number: 7 }, /timestamp/],
    [{ timestamp: time }, /number/],
    [{ number: -1, timestamp: time }, /number/],
    [{ number: 1.5, timestamp: time }, /number/],
    [{ number: 7, timestamp: -1 }, /timestamp/],
    [{ number: 7, timestamp: 'now' }, /timestamp/],
    [{ number: 7, timestamp: 1e30 }, /timestamp/],
    [{ number: 7, timestamp: Number.NaN }, /timestamp/],
    [{ number: 7, timestamp: null }, /timestamp/],
    [{ number: 7, timestamp: time, chainId: 1 }, /chain 1/],
    [{ number: 7, timestamp: time, chain_id: '0x1' }, /chain 1/],
    [{ size: 7, block: { when: time } }, /the keys size, block \(when\)$/],
    [[{ number: 7 }], /a list of which the first is an object with the keys number$/],
  ])('is not read from %j', (reply, what) => {
    const read = () => readLatestBlock(reply, CHAIN_ID)
    expect(read).toThrow(what)
    expect(read).toThrow(expect.objectContaining({ reason: 'service-reply-invalid' }))
  })
})
