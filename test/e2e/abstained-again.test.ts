import path from 'node:path'
import { expect, it } from 'vitest'
import { attestdVerb } from '../support/attestd-verb.js'
import { benchOfTest } from '../support/bench-of-test.js'
import { writeTinyPackage } from '../support/detector-package.js'

const SETTINGS = { ATTESTD_DETECTORS: 'tiny-image', ATTESTD_UNSURE_POLICY: 'abstain' }

it('an abstained asset is scored once by a new detector, if it is open', async () => {
  const bench = await benchOfTest()
  const models = path.join(bench.folder, 'models')
  const bandOf = (low: number, high: number, version: string) =>
    writeTinyPackage(models, { manifest: { decisionBand: { low, high }, version } })
  await bandOf(0, 1, '1.0.0')
  const [first, closed] = await bench.registerMany(2, 'abstained')
  const daemon = await bench.startHere(SETTINGS).ready()
  const abstained = () => daemon.metric('attestd_abstained_total', 'detector-unsure')
  await bench.until('both abstained', async () => (await abstained()) === 2)
  bench.sandbox.world.assets.switch(closed!.id, 'closed')
  const reload = () => attestdVerb(['models', 'reload'], { ATTESTD_DATA_DIR: path.join(bench.folder, 'main') })

  await bandOf(0, 1, '2.0.0')
  expect(await reload()).toMatchObject({ code: 0 })
  await bench.until('the open one abstained again', async () => (await abstained()) === 3)
  await bandOf(0.5, 0.5, '3.0.0')
  expect(await reload()).toMatchObject({ code: 0 })
  await bench.until('a score', () => bench.sandbox.scores().length > 0)
  await bench.quiet()
  expect(bench.sandbox.scores()).toMatchObject([{ assetId: first!.id, algorithm: 'tiny-image@3.0.0' }])
  expect(await abstained()).toBe(3)
})
