import path from 'node:path'
import { expect, it } from 'vitest'
import { attestdVerb } from '../support/attestd-verb.js'
import { benchOfTest } from '../support/bench-of-test.js'
import type { DaemonBench } from '../support/daemon-bench.js'
import { writeModulePackage } from '../support/other-packages.js'

const DETECTOR = { ATTESTD_DETECTORS: 'by-module' }

/** Version 1 fails on every file but its own sample. */
async function install(bench: DaemonBench, version: '1.0.0' | '2.0.0'): Promise<void> {
  const flaw = version === '1.0.0' ? 'if (length !== 300) throw new Error("a flaw")' : ''
  const main = `import fs from 'node:fs/promises'
export const createDetector = () => ({
  async measure(file) {
    const { length } = await fs.readFile(file, 'utf8')
    ${flaw}
    return { logit: 3 }
  },
})`
  await writeModulePackage(path.join(bench.folder, 'models'), { 'main.mjs': main }, { version, mediaTypes: ['image'] })
}

it('a file on which a detector failed goes to its successor, and not to the same detector again', async () => {
  const bench = await benchOfTest()
  await install(bench, '1.0.0')
  const [, later] = await bench.registerMany(2, 'failed')
  const first = await bench.startHere(DETECTOR).ready()
  await bench.until('failed jobs', async () => (await first.failedJobs()).length === 2)
  await first.drain()

  const second = await bench.startHere(DETECTOR).ready()
  await bench.quiet()
  expect(await second.failedJobs()).toMatchObject([{ reason: 'detector-failed' }, { reason: 'detector-failed' }])
  expect(second.log.filter(({ msg }) => msg === 'job failed; it was kept for attestd queue retry')).toHaveLength(2)

  // One of them closes before there is a better detector.
  bench.sandbox.world.assets.switch(later!.id, 'closed')
  await install(bench, '2.0.0')
  expect(await attestdVerb(['models', 'reload'], { ATTESTD_DATA_DIR: path.join(bench.folder, 'main') })).toMatchObject({
    code: 0,
  })
  await bench.until('a score', () => bench.sandbox.scores().length > 0)
  await bench.quiet()
  expect(bench.sandbox.scores()).toMatchObject([{ algorithm: 'by-module@2.0.0' }])
  expect(await second.failedJobs()).toEqual([])
})
