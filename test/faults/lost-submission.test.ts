import { it } from 'vitest'
import { onRedis, startRun } from '../support/fault-run.js'
import { askRedis } from '../support/redis-failover.js'

onRedis('a submission that the queue lost after its analysis ended', (api) => {
  it('is repeated once the connection is back, seed lost', async () => {
    const run = await startRun('redis', {
      api,
      faults: { seed: 'lost', rules: [{ route: 'one', fault: 'status-503' }] },
    })
    const { bench, redis } = run
    const daemon = await run.start().ready()
    await bench.register('lost')
    const waiting = async () => (await daemon.queues()).find(({ name }) => name === 'submit')?.delayed === 1
    await bench.until('a submission that waits', waiting)
    // As a primary does that others have replaced: it forgets, and its connections are closed.
    await askRedis(redis!.port, async (client) => {
      await client.del(...(await client.keys('*:submit:*')))
      await client.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
    })
    bench.sandbox.world.faults.setPlan({ rules: [] })
    await bench.expectExactlyOneEach()
  })
})
