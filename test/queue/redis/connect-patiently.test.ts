import { describe, expect, it, onTestFinished } from 'vitest'
import { connectPatiently } from '../../../src/queue/redis/connect-patiently.js'
import { redisTarget } from '../../../src/queue/redis/redis-access.js'
import { makeProducer, type RedisClient } from '../../../src/queue/redis/redis-connection.js'
import { parseRedisUrl } from '../../../src/queue/redis/redis-url.js'
import { KeptLog } from '../../support/kept-log.js'
import { ManualClock, settle } from '../../support/manual-clock.js'
import { type RespAnswer, RespServer } from './resp-server.js'

/** A Redis with these answers, and what connecting to it becomes while the test moves the clock. */
async function setUp(
  answer: (command: string[]) => RespAnswer,
  more: { startWaitMs?: number; signal?: AbortSignal } = {},
) {
  const server = await RespServer.start(answer)
  onTestFinished(() => server.stop())
  const clock = new ManualClock()
  const log = new KeptLog()
  const target = redisTarget(parseRedisUrl(`redis://:hidden@127.0.0.1:${server.port}/0`), {})
  const made: RedisClient[] = []
  const make = () => {
    const client = makeProducer(target, () => 0)
    onTestFinished(() => client.disconnect())
    made.push(client)
    return client
  }
  const options = { prefix: 'p', clock, random: () => 0, log, ...more }
  const outcome = connectPatiently(make, target, options).then(
    (connection) => ({ connection: made.indexOf(connection) }),
    (error: { reason: string; message: string }) => ({ error: { reason: error.reason, message: error.message } }),
  )
  return { clock, made, outcome, server, warnings: log.lines }
}
const healthy = ([name]: string[]): RespAnswer => {
  if (name === 'INFO') return 'redis_version:7.2.4\r\nloading:0\r\n'
  return name === 'PING' ? '+PONG' : '+OK'
}

describe('the first connection to Redis', () => {
  it('is opened at once where Redis answers, and leaves no timer', async () => {
    const { clock, outcome, server, warnings } = await setUp(healthy)
    expect(await outcome).toEqual({ connection: 0 })
    expect([warnings, clock.sleeping]).toEqual([[], 0])
    expect(server.commands.find(([name]) => name === 'HELLO')?.join(' ')).toContain('AUTH default hidden')
  })

  it.each([
    ['a wrong password', 'HELLO', 'WRONGPASS invalid username-password pair', 'queue-unauthorized'],
    ['no rights', 'PING', 'NOPERM this user has no permissions', 'queue-unauthorized'],
  ])('is given up at once for %s', async (_, command, text, reason) => {
    const { made, outcome } = await setUp((given) => (given[0] === command ? new Error(text) : healthy(given)))
    expect(await outcome).toMatchObject({ error: { reason } })
    expect(made).toHaveLength(1)
    expect(JSON.stringify(await outcome)).not.toContain('hidden')
  })

  it('is retried where Redis fails at first, with a new connection and one warning', async () => {
    let isUp = false
    const { clock, made, outcome, warnings } = await setUp((given) =>
      given[0] === 'PING' && !isUp ? new Error('LOADING Redis is loading the dataset in memory') : healthy(given),
    )
    const progress = { isOver: false }
    void outcome.finally(() => {
      progress.isOver = true
    })
    while (!progress.isOver) {
      await settle()
      // Between two tries only: within one the clock would run into its limit.
      if (made.at(-1)?.status !== 'end') continue
      if (made.length === 1) expect(warnings).toHaveLength(1)
      isUp = made.length === 2
      await clock.advance(500)
    }
    expect(await outcome).toEqual({ connection: made.length - 1 })
    expect(made).toHaveLength(3)
    expect(warnings).toHaveLength(1)
  })

  it('is given up where the next attempt would exceed the longest wait', async () => {
    const failing = (given: string[]) => (given[0] === 'PING' ? new Error('LOADING') : healthy(given))
    const { made, outcome } = await setUp(failing, { startWaitMs: 0 })
    expect(await outcome).toMatchObject({ error: { reason: 'queue-unreachable' } })
    expect(made).toHaveLength(1)
  })
})
