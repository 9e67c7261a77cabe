import fs from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { DaemonBench } from '../support/daemon-bench.js'
import { textsBelow } from '../support/files-below.js'

let bench: DaemonBench

beforeAll(async () => {
  bench = await DaemonBench.create({
    attesterKey: { accessKey: 'ak_att_visible-nowhere', signingSecret: 'sk_Signing/Secret+of this=test "quoted"' },
  })
})

afterAll(() => bench.dispose())

/** How a secret may be written: as it is, in JSON, in a URL, and in the encodings that dumps use. */
function forms(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const json = JSON.stringify(secret).slice(1, -1)
  return [secret, json, encodeURIComponent(secret), bytes.toString('base64'), bytes.toString('hex')]
}

function expectNoSecret(text: string, where: string): void {
  const { accessKey, signingSecret } = bench.sandbox.attesterKey
  const found = [accessKey, signingSecret].flatMap(forms).filter((form) => text.includes(form))
  expect(found, where).toEqual([])
}

it.each<[string, Record<string, string>, string[]]>([
  ['no signing secret', { ATTESTD_SIGNING_SECRET: '' }, ['ATTESTD_SIGNING_SECRET', 'setting-missing']],
  ['a secret in the wrong place', { ATTESTD_ACCESS_KEY: 'two words' }, ['ATTESTD_ACCESS_KEY', 'hidden']],
])('wrong settings, %s: one readable block and exit code 78', async (name, changes, wanted) => {
  const daemon = bench.startHere(changes, `wrong-${name}`)
  expect(await daemon.exited, daemon.output).toBe(78)
  for (const text of wanted) expect(daemon.output).toContain(text)
  expect(daemon.output).not.toMatch(/^\s+at /m)
  expectNoSecret(daemon.output, 'output')
})

it('a secret file that others can read is in the log with the fix, as doctor reports it', async () => {
  const file = path.join(bench.folder, 'open-secret')
  await fs.writeFile(file, bench.sandbox.attesterKey.signingSecret)
  await fs.chmod(file, 0o644)
  const secret = { ATTESTD_SIGNING_SECRET: '', ATTESTD_SIGNING_SECRET_FILE: file }
  const daemon = bench.start({ ...secret, ATTESTD_MODELS_DIR: '/nowhere/models' }, 'open-secret')
  expect(await daemon.exited).toBe(78)
  expect(daemon.log).toContainEqual(expect.objectContaining({ file, mode: '0644', fix: `Run chmod 600 ${file}.` }))
  expect(daemon.output).not.toMatch(/^\s+at /m)
  expectNoSecret(daemon.output, 'output')
})

it('no secret is in the log, on a page, in the metrics or in a file of the data directory', async () => {
  // Refusals repeat what was sent; they must be masked too.
  bench.sandbox.world.faults.setPlan({
    rules: [
      { route: 'score', fault: 'status-401', attempts: [1] },
      { route: 'list', fault: 'status-400', attempts: [2] },
      { route: 'stream', fault: 'status-500', attempts: [1] },
    ],
  })
  await bench.prepare('secrets')
  await bench.registerMany(2, 'secrets')
  const daemon = await bench.startHere({ ATTESTD_LOG_LEVEL: 'debug' }, 'secrets').ready()
  await bench.expectExactlyOneEach()
  for (const page of ['/', '/status', '/metrics', '/readyz', '/queues/api/queues', '/control/failed']) {
    const { status, text } = await daemon.get(page)
    expect(status, page).toBe(200)
    expectNoSecret(text, page)
  }
  expect(daemon.output.length).toBeGreaterThan(1000)
  expectNoSecret(daemon.output, 'log')
  expect(await daemon.drain()).toBe(0)
  const files = Object.entries(await textsBelow(path.join(bench.folder, 'secrets')))
  expect(files.length).toBeGreaterThan(10)
  for (const [name, text] of files) expectNoSecret(text, name)
})
