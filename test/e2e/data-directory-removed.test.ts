import fs from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { attestdVerb } from '../support/attestd-verb.js'
import { benchOfTest } from '../support/bench-of-test.js'
import { findRedisServer } from '../support/redis-server.js'

it.skipIf(findRedisServer() === null)(
  'a data directory that is removed under a daemon on Redis is made again and named: verbs find the daemon, and it scores on',
  async () => {
    const bench = await benchOfTest()
    const { url } = await bench.redis()
    const dataDir = path.join(bench.folder, 'main')
    const daemon = bench.start({ ATTESTD_QUEUE_URL: url })
    await daemon.ready()
    await bench.registerMany(2, 'before')
    await bench.allScored()
    await fs.rm(dataDir, { recursive: true })
    const after = await bench.registerMany(2, 'after')
    await bench.expectExactlyOneEach()
    await bench.until('a line of log', () => daemon.output.includes('data directory was emptied and made again'))
    expect((await fs.stat(dataDir)).mode & 0o777).toBe(0o700)
    const { out } = await attestdVerb(['scores', '--json', '--data-dir', dataDir], {})
    const listed = JSON.parse(out).map(({ assetId }: { assetId: string }) => assetId)
    expect(listed).toEqual(expect.arrayContaining(after.map(({ id }) => id)))
    expect((await attestdVerb(['status', '--data-dir', dataDir], {})).code).toBe(0)
  },
)
