import { expect, it } from 'vitest'
import { redisClaims } from '../../../src/queue/redis/open-redis.js'
import { connected } from './connected-redis.js'

it.each([
  [1, true],
  [0, false],
])('claims are taken where Redis answers %i: %s', async (answer, isTaken) => {
  const { commands, redis } = await connected(() => answer)
  expect(await redisClaims(redis, 'p').take('key', 'me', 500)).toBe(isTaken)
  expect(commands()[0]?.slice(2)).toEqual(['1', 'p:claim:key', 'me', '500'])
})
