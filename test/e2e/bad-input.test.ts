import path from 'node:path'
import { expect, it } from 'vitest'
import { Ledger } from '../../src/pipeline/ledger.js'
import { benchOfTest } from '../support/bench-of-test.js'
import { image } from '../support/daemon-bench.js'

it('bad assets and bad media are abstained from by name and cost nothing else', async () => {
  const bench = await benchOfTest()
  const whole = await image('bad media', 0)
  const good = await bench.registerMany(3, 'good media')
  const bad = {
    'media-corrupt': await bench.register('', { content: whole.subarray(0, whole.length - 60) }),
    'media-type-mismatch': await bench.register('', { content: Buffer.from('%PDF-1.7\n1 0 obj\n<<>>\nendobj\n') }),
    'media-unsupported': await bench.register('', {
      content: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
    }),
    'content-hash-mismatch': await bench.register('bad media', { contentHash: `0x${'ab'.repeat(32)}` }),
    'uri-unsupported': await bench.register('bad media', { uri: 'ftp://files.example/cat.png' }),
    'address-refused': await bench.register('bad media', { uri: 'https://127.0.0.1/cat.png' }),
  }
  const malformed = await bench.register('bad media', { contentHash: 'none' })
  const daemon = await bench.startHere().ready()
  await bench.until('good scores', () => good.every(({ id }) => bench.scoreCounts()[id] === 1))
  const abstained = () => daemon.metric('attestd_abstained_total')
  await bench.until('abstentions', async () => (await abstained()) === Object.keys(bad).length)
  await bench.quiet()

  const ledger = new Ledger(path.join(bench.folder, 'main', 'ledger'))
  const said = (await ledger.recent(100)).filter((entry) => entry.kind === 'abstained')
  const reasons = Object.fromEntries(said.map(({ assetId, reason }) => [reason, assetId]))
  expect(reasons).toEqual(Object.fromEntries(Object.entries(bad).map(([reason, { id }]) => [reason, id])))
  expect(await daemon.metric('attestd_malformed_total', 'what="asset"')).toBeGreaterThan(0)
  expect(bench.scoreCounts()).toMatchObject({ [malformed.id]: 0 })
  expect(bench.sandbox.scores()).toHaveLength(good.length)
  expect(await daemon.failedJobs()).toEqual([])
})
