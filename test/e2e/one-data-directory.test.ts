import { expect, it } from 'vitest'
import { benchOfTest } from '../support/bench-of-test.js'

it('of two daemons that start at the same moment on one data directory one runs, and the other refuses by name', async () => {
  const bench = await benchOfTest()
  await bench.registerMany(5, 'first')
  const both = [bench.start(), bench.start()]
  const ended = await Promise.race(both.map(async (one) => ({ one, code: await one.exited })))
  expect(ended.code).toBe(78)
  const running = both.find((one) => one !== ended.one)!
  expect(running.running).toBe(true)
  expect(running.output).toMatch(
    new RegExp(`already open in process ${running.pid};.*\\[queue-in-use\\]\\n.*ATTESTD_QUEUE_URL to redis://`),
  )
  await running.ready()
  await bench.registerMany(5, 'second')
  await bench.allScored()
  await running.kill9()
  bench.startHere()
  await bench.expectExactlyOneEach()
})
