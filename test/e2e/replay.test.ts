import fs from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { LedgerEntry } from '../../src/pipeline/ledger.js'
import { attestdVerb } from '../support/attestd-verb.js'
import { benchOfTest } from '../support/bench-of-test.js'
import { DaemonBench } from '../support/daemon-bench.js'
import { writeTinyPackage } from '../support/detector-package.js'
import { findRedisServer } from '../support/redis-server.js'

let bench: DaemonBench
let assets: string[]

/** Four pictures scored at the same time by two processes, as in daily work; then the daemon stops. */
beforeAll(async () => {
  bench = await DaemonBench.create()
  await bench.prepare()
  assets = (await bench.registerMany(4, 'replay')).map(({ id }) => id)
  const daemon = await bench.startHere({ ATTESTD_DETECTOR_WORKERS: '2', ATTESTD_EXPECTED_SHARE: '0.6' }).ready()
  await bench.expectExactlyOneEach()
  await daemon.drain()
})
afterAll(() => bench.dispose())

const dataDir = () => path.join(bench.folder, 'main')
const cacheDir = () => path.join(dataDir(), 'cache')
const modelsDir = () => path.join(bench.folder, 'models')

const replay = (asset: string, env: Readonly<Record<string, string>> = {}, ...flags: string[]) =>
  attestdVerb(['replay', asset, ...flags], {
    ATTESTD_DATA_DIR: dataDir(),
    ATTESTD_MODELS_DIR: modelsDir(),
    ATTESTD_IPFS_GATEWAYS: bench.sandbox.url,
    ...env,
  })

async function changeLedger(
  change: (entry: Extract<LedgerEntry, { kind: 'verdict' }>) => object,
): Promise<() => Promise<void>> {
  const folder = path.join(dataDir(), 'ledger')
  const [name] = await fs.readdir(folder)
  const file = path.join(folder, name!)
  const text = await fs.readFile(file, 'utf8')
  const lines = text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as LedgerEntry)
  const changed = lines.map((entry) => (entry.kind === 'verdict' ? { ...entry, ...change(entry) } : entry))
  await fs.writeFile(file, `${changed.map((entry) => JSON.stringify(entry)).join('\n')}\n`)
  return () => fs.writeFile(file, text)
}

it('every verdict is replayed bit for bit by one process, from the cache', async () => {
  for (const asset of assets) {
    const { code, out } = await replay(asset, { ATTESTD_IPFS_GATEWAYS: 'http://127.0.0.1:9' }, '--json')
    const { outcome, record, detection } = JSON.parse(out)
    expect(outcome).toBe('same')
    expect(detection.rawScore).toBe(record.rawScore)
    // The recorded share counts, not that of the settings, which is even here.
    expect([record.expectedShare, detection.expectedShare]).toEqual([0.6, 0.6])
    expect(record).toMatchObject({
      algorithm: 'tiny-image@1.0.0',
      platform: expect.stringContaining('onnxruntime-node'),
    })
    expect(code).toBe(0)
  }
})

it('evicted bytes are fetched from a gateway again; without a gateway this is reported', async () => {
  await fs.rename(cacheDir(), `${cacheDir()}-away`)
  const gone = await replay(assets[0]!, {
    ATTESTD_IPFS_GATEWAYS: 'http://127.0.0.1:9',
    ATTESTD_MEDIA_TIMEOUT_MS: '2000',
  })
  expect(gone).toMatchObject({ code: 1, out: expect.stringMatching(/^bytes-gone: .*\[media-/) })
  expect(await replay(assets[0]!)).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^same: .* bit for bit: raw score -?\d/),
  })
})

it('the console of the next run shows the last hour and the assets of the previous run', async () => {
  const daemon = await bench.startHere().ready()
  const { text } = await daemon.get('/')
  for (const asset of assets) expect(text).toContain(asset)
  const history = JSON.parse((await daemon.get('/history')).text) as { at: number[] }
  const { startedAt } = JSON.parse((await daemon.get('/status')).text) as { startedAt: number }
  expect(Math.min(...history.at)).toBeLessThan(startedAt)
  await daemon.drain()
})

it('the detector of the record is used, whatever is selected now', async () => {
  await writeTinyPackage(modelsDir(), { id: 'other' })
  expect(await replay(assets[0]!, { ATTESTD_DETECTORS: 'other,tiny-image=shadow' })).toMatchObject({ code: 0 })
  await fs.rm(path.join(modelsDir(), 'other'), { recursive: true })
})

it('an asset without a record is reported as such', async () => {
  expect(await replay('asset-nobody')).toMatchObject({
    code: 1,
    out: expect.stringMatching(/^no-record: .*asset-nobody/),
  })
})

it('a record that differs by one bit is detected', async () => {
  const off = (raw: number) => raw + Number.EPSILON * Math.max(1, Math.abs(raw))
  const restore = await changeLedger(({ rawScore }) => ({ rawScore: off(rawScore ?? 0) }))
  expect(await replay(assets[0]!)).toMatchObject({
    code: 1,
    out: expect.stringMatching(/score-differs: .*this is a fault/),
  })
  await restore()
})

it('another score on another platform is distinguished from a fault', async () => {
  const restore = await changeLedger(({ risk }) => ({ risk: risk / 2, platform: 'a machine of long ago' }))
  expect(await replay(assets[0]!)).toMatchObject({
    code: 1,
    out: expect.stringMatching(/^platform-differs: .*a machine of long ago/),
  })
  await restore()
})

it('a package that was swapped or removed since is named with both digests', async () => {
  const folder = path.join(modelsDir(), 'tiny-image')
  await fs.rename(folder, path.join(bench.folder, 'old'))
  const gone = await replay(assets[0]!)
  expect(gone).toMatchObject({ code: 1, out: expect.stringMatching(/^detector-differs: .*cannot be loaded/) })
  await writeTinyPackage(modelsDir(), { manifest: { version: '2.0.0' } })
  const swapped = await replay(assets[0]!)
  expect(swapped.code).toBe(1)
  expect(swapped.out).toMatch(
    /^detector-differs: tiny-image@1.0.0 with the digest [0-9a-f]{64} .* tiny-image@2.0.0 with the digest [0-9a-f]{64}/,
  )
})

it.skipIf(findRedisServer() === null)(
  'the command that a submit daemon prints replays what an analyze daemon measured',
  async () => {
    const fleet = await benchOfTest()
    const redis = await fleet.redis()
    const start = (name: string, roles: string) =>
      fleet.startHere({ ATTESTD_QUEUE_URL: redis.url, ATTESTD_ROLES: roles }, name)
    const [front, worker] = [start('front', 'intake,submit'), start('worker', 'analyze')]
    await Promise.all([front.ready(), worker.ready()])
    const [asset] = await fleet.registerMany(1, 'apart')
    await fleet.expectExactlyOneEach()
    for (const daemon of [front, worker]) {
      const printed = new RegExp(`npx attestd (replay --data-dir [^ ]+ ${asset!.id})<`)
      let command: string | undefined
      await fleet.until('the row of the receipt', async () => {
        const { text } = await daemon.get('/')
        command = text.includes('accepted</span>') ? printed.exec(text)?.[1] : undefined
        return command !== undefined
      })
      const env = { ATTESTD_MODELS_DIR: path.join(fleet.folder, 'models'), ATTESTD_IPFS_GATEWAYS: fleet.sandbox.url }
      const { code, out } = await attestdVerb(String(command).split(' '), env)
      expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/^same: /) })
    }
  },
)
