import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { benchOfTest } from '../support/bench-of-test.js'
import { ModelServer } from '../support/model-server.js'
import { writeRemotePackage } from '../support/other-packages.js'

it('an unreachable model server is named, its files wait, and all are scored afterwards', async () => {
  const bench = await benchOfTest()
  let server = await ModelServer.start({ binary: true })
  onTestFinished(() => server.close())
  await writeRemotePackage(path.join(bench.folder, 'models'), 'far', server.url)
  const daemon = await bench
    .startHere({ ATTESTD_DETECTORS: 'far', ATTESTD_DETECTOR_TOKEN: 'secret-model-token' })
    .ready()
  await bench.register('remote')
  await bench.expectExactlyOneEach()
  const { port } = server
  await server.close()
  await bench.registerMany(2, 'remote')
  await bench.until('a retry', async () => (await daemon.metric('attestd_retries_total', 'detector-unreachable')) > 0)
  // One file may still have been answered while the server closed; the next that is not says so.
  await bench.until('not ready', async () => (await daemon.get('/readyz')).status === 503)
  expect((await daemon.get('/readyz')).text).toContain('The model server of far does not answer')
  server = await ModelServer.start({ binary: true, port })
  await bench.expectExactlyOneEach()
  await bench.until('ready', async () => (await daemon.get('/readyz')).status === 200)
  expect(bench.sandbox.scores().map(({ algorithm }) => algorithm)).toEqual(Array(3).fill('far@1.0.0'))
  expect(new Set(server.asked.map(({ authorization }) => authorization))).toEqual(
    new Set(['Bearer secret-model-token']),
  )
  const shown = [daemon.output, (await daemon.get('/status')).text, (await daemon.get('/')).text].join('\n')
  expect(shown).not.toContain('secret-model-token')
})
