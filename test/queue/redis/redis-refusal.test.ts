import { describe, expect, it } from 'vitest'
import type { RedisTarget } from '../../../src/queue/redis/redis-access.js'
import { redisTrouble, refusalOf } from '../../../src/queue/redis/redis-refusal.js'

const TARGET = { shown: 'redis://r', db: 3, primary: 'main' } as RedisTarget

describe('a permanent rejection of Redis', () => {
  it.each([
    ['NOAUTH Authentication required.', 'queue-unauthorized', /refused the user, the password or their rights/],
    ['WRONGPASS invalid username-password pair or user is disabled.', 'queue-unauthorized', /refused/],
    ['NOPERM this user has no permissions to run', 'queue-unauthorized', /rights/],
    ["ERR ACL failure in script: User me has no permissions to run the 'xadd' command", 'queue-unauthorized', /rights/],
    ["ERR The user executing the script can't run this command or subcommand", 'queue-unauthorized', /rights/],
    ['ERR invalid password', 'queue-unauthorized', /refused/],
    ['ERR AUTH <password> called without any password configured', 'queue-unauthorized', /refused/],
    ['DENIED Redis is running in protected mode', 'queue-unauthorized', /only programs on its own machine/],
    ['unable to verify the first certificate', 'queue-certificate-refused', /certificate/],
    ['self-signed certificate in certificate chain', 'queue-certificate-refused', /certificate/],
    ["Hostname/IP does not match certificate's altnames", 'queue-certificate-refused', /certificate/],
    ['write EPROTO 0:error:0A00010B:SSL routines:wrong version number', 'queue-tls-mismatch', /speak TLS/],
    ['packet length too long', 'queue-tls-mismatch', /speak TLS/],
    ['ERR DB index is out of range', 'queue-address-wrong', /has no database 3/],
    ['ERR SELECT is not allowed in cluster mode', 'queue-address-wrong', /has no database 3/],
    ['ERR No such master with that name', 'queue-address-wrong', /without a primary named main/],
    ["ERR unknown command 'SENTINEL', with args", 'queue-address-wrong', /is not a Sentinel/],
    ['ERR unknown command `sentinel`', 'queue-address-wrong', /is not a Sentinel/],
    ['ERR This instance has cluster support disabled', 'queue-address-wrong', /not a node of a cluster/],
    ["ERR unknown command 'cluster'", 'queue-address-wrong', /not a node of a cluster/],
    ["ERR unknown command 'info', with args", 'queue-misconfigured', /rename-command/],
  ])('%s', (text, reason, message) => {
    const refusal = refusalOf(new Error(text), TARGET)
    expect(refusal).toMatchObject({ reason, message: expect.stringMatching(message) })
    expect(refusal?.message).toContain(`Redis at redis://r`)
    expect(redisTrouble(new Error(text), TARGET).reason).toBe(reason)
  })

  it.each(['connect ECONNREFUSED 127.0.0.1:6379', 'Connection is closed.', 'LOADING Redis is loading the dataset', ''])(
    'does not include %j: Redis is only unreachable',
    (text) => {
      expect(refusalOf(new Error(text), TARGET)).toBeNull()
      expect(redisTrouble(new Error(text), TARGET)).toMatchObject({
        reason: 'queue-unreachable',
        message: expect.stringMatching(/^Redis at redis:\/\/r does not answer: /),
      })
    },
  )

  it('is found in the answer of the last node of a cluster', () => {
    const error = Object.assign(new Error('Failed to refresh slots cache.'), { lastNodeError: new Error('NOAUTH') })
    expect(refusalOf(error, TARGET)).toMatchObject({ reason: 'queue-unauthorized' })
  })

  it('is repeated without the internals of the client', () => {
    const error = new Error('All sentinels are unreachable. Retrying from scratch after 312ms.')
    expect(redisTrouble(error, TARGET).message).toBe(
      'Redis at redis://r does not answer: All sentinels are unreachable.',
    )
  })
})
