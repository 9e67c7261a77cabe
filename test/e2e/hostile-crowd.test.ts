import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { benchOfTest } from '../support/bench-of-test.js'
import { writeTinyAudioPackage } from '../support/detector-audio.js'
import { CROWD_MAX_BYTES, HonestWatch, registerCrowd } from '../support/hostile-crowd.js'
import { HostileGateway } from '../support/hostile-gateway.js'
import { writeModulePackage } from '../support/other-packages.js'

const [HOSTILE, HONEST] = [190, 10]
/** Deadline of an urgent asset, ms. */
const URGENT_MS = 300_000
const READS_TEXT = `
import fs from 'node:fs/promises'
export const createDetector = () => ({
  measure: async (file) => ({ logit: (await fs.readFile(file, 'utf8')).length / 100, notes: 'read', parts: [] }),
})`

it('of 200 urgent assets, 190 of them hostile, the 10 honest ones are scored before their deadline', async () => {
  const bench = await benchOfTest()
  const models = path.join(bench.folder, 'models')
  await writeTinyAudioPackage(models)
  await writeModulePackage(models, { 'main.mjs': READS_TEXT })
  const { folder, sandbox } = bench
  const gateway = await HostileGateway.start(sandbox.url)
  onTestFinished(() => gateway.stop())
  const watch = new HonestWatch(sandbox)
  await registerCrowd({
    sandbox,
    gateway,
    folder,
    hostile: HOSTILE,
    honest: HONEST,
    costly: ['bilevel.png', 'frames.gif', 'words.txt'],
    onHonest: (one) => watch.add(one),
  })

  const daemon = bench.start({
    ATTESTD_IPFS_GATEWAYS: gateway.url,
    ATTESTD_MEDIA_MAX_BYTES: String(CROWD_MAX_BYTES),
    // As by default.
    ATTESTD_RETRY_MAX_MS: '60000',
  })
  // Not until it is ready: while nearly all media fails, the check of the gateways may say that it is not.
  await bench.until('scores of the honest assets', () => watch.look() === 0)
  expect(watch.latencies).toHaveLength(HONEST)
  expect(Math.max(...watch.latencies)).toBeLessThan(URGENT_MS)
  expect(daemon.running).toBe(true)
})
