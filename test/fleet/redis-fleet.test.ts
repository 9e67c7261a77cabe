import { describe, expect, it } from 'vitest'
import { MAX_CARD_BYTES, MAX_CARDS } from '../../src/fleet/fleet-store.js'
import { redisFleet } from '../../src/fleet/redis-fleet.js'
import { engineError } from '../../src/queue/engine-error.js'
import { connected } from '../queue/redis/connected-redis.js'

describe('the fleet', () => {
  it('reads the announced daemons, under keys of its prefix', async () => {
    const { commands, redis } = await connected(() => [
      ['run-1', '{"text":1}', 1500],
      ['run-2', 'other', 0],
    ])
    expect(await redisFleet(redis, 'p', engineError).announced()).toEqual([
      { id: 'run-1', text: '{"text":1}', agoMs: 1500 },
      { id: 'run-2', text: 'other', agoMs: 0 },
    ])
    expect(commands()[0]?.slice(2)).toEqual([
      '2',
      'p:fleet:daemons',
      'p:fleet:seen',
      `${MAX_CARDS}`,
      `${MAX_CARD_BYTES}`,
    ])
  })

  it('is queue-unreachable at once while the connection is down, without waiting for it', async () => {
    const { redis } = await connected(() => [])
    redis.disconnect()
    const fleet = redisFleet(redis, 'p', engineError)
    const asks = [
      fleet.announced(),
      fleet.order(),
      fleet.recent(1),
      fleet.append(['x']),
      fleet.announce('a', 'b'),
      fleet.leave('a'),
    ]
    for (const ask of asks) await expect(ask).rejects.toMatchObject({ reason: 'queue-unreachable' })
  })

  it('names a rejection of Redis', async () => {
    const { redis } = await connected(() => new Error('NOPERM this user has no permissions'))
    await expect(redisFleet(redis, 'p', engineError).announced()).rejects.toMatchObject({
      reason: 'queue-unauthorized',
    })
  })
})
