import fs from 'node:fs'
import fsp from 'node:fs/promises'
import path from 'node:path'
import { chromium } from 'playwright-core'
import { describe, expect, it, type TestContext } from 'vitest'
import { jobIdOf } from '../../src/core/text.js'
import { benchOfTest } from '../support/bench-of-test.js'
import type { BenchOptions, DaemonBench } from '../support/daemon-bench.js'
import type { DaemonUnderTest } from '../support/daemon-under-test.js'
import { writeTinyPackage } from '../support/detector-package.js'
import { findRedisServer } from '../support/redis-server.js'

const CHROMIUM = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'
const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking']
const PASSWORD = 'a-long-password'
const REVIEW = {
  ATTESTD_DETECTORS: 'tiny-image',
  ATTESTD_UNSURE_POLICY: 'review',
  ATTESTD_HTTP_PASSWORD: PASSWORD,
}
const asUser = (user: string) => `Basic ${Buffer.from(`${user}:${PASSWORD}`).toString('base64')}`

/** A bench whose detector is unsure of everything. */
async function unsureBench(context: TestContext, options?: BenchOptions): Promise<DaemonBench> {
  const bench = await benchOfTest(options, context)
  await writeTinyPackage(path.join(bench.folder, 'models'), { manifest: { decisionBand: { low: 0, high: 1 } } })
  return bench
}

async function get(
  daemon: DaemonUnderTest,
  page: string,
  headers: Record<string, string> = { authorization: asUser('ada') },
) {
  const { url } = await daemon.serving()
  const answer = await fetch(new URL(page, url), { headers })
  return {
    status: answer.status,
    type: answer.headers.get('content-type'),
    bytes: Buffer.from(await answer.arrayBuffer()),
  }
}

/** Sends the form as a browser does. */
async function post(
  daemon: DaemonUnderTest,
  id: string,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
) {
  const { url } = await daemon.serving()
  const answer = await fetch(new URL(`/review/${jobIdOf(id)}`, url), {
    method: 'POST',
    redirect: 'manual',
    headers: { authorization: asUser('ada'), origin: url, ...headers },
    body: new URLSearchParams(fields),
  })
  return { status: answer.status, text: await answer.text() }
}

const waits = (bench: DaemonBench, daemon: DaemonUnderTest, id: string) =>
  bench.until('an asset on the list', async () => String((await get(daemon, '/review')).bytes).includes(jobIdOf(id)))

const linesOf = async (file: string): Promise<unknown[]> =>
  (await fsp.readFile(file, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

it('an unsure asset waits for a person, whose score is submitted like any other', async (context) => {
  const bench = await unsureBench(context)
  const asset = await bench.register('review')
  const daemon = await bench.startHere(REVIEW).ready()
  await waits(bench, daemon, asset.id)
  const id = jobIdOf(asset.id)

  expect((await get(daemon, '/review', {})).status).toBe(401)
  expect((await post(daemon, asset.id, { risk: '10', note: '' }, { origin: 'https://evil.example' })).status).toBe(403)
  const media = await get(daemon, `/review/${id}/media`)
  expect(media).toMatchObject({ status: 200, type: 'image/jpeg' })
  expect(media.bytes.toString('latin1', 0, 3)).toBe('\xff\xd8\xff')
  const map = await get(daemon, `/review/${id}/map`)
  expect(map).toMatchObject({ status: 200, type: 'image/png' })
  expect(String((await get(daemon, `/review/${id}`)).bytes)).toContain('it lies in the decision band')
  expect(await daemon.metric('attestd_review_jobs')).toBe(1)
  expect(bench.sandbox.scores()).toEqual([])

  expect((await post(daemon, asset.id, { risk: '12.5', note: 'seen before' })).status).toBe(303)
  const again = await post(daemon, asset.id, { risk: '90', note: '' }, { authorization: asUser('bob') })
  expect(again.status).toBe(409)
  expect(again.text).toContain('review-decided')
  await bench.allScored()
  const [score] = bench.sandbox.scores()
  expect(score).toMatchObject({ deepfakeRiskScore: 12.5, algorithm: 'human-review+tiny-image@1.0.0' })
  expect(score!.notes).toMatch(/^Decided by a person; .* seen before$/)
  await bench.expectExactlyOneEach()

  await daemon.end()
  const decision = expect.objectContaining({ by: 'ada', note: 'seen before', risk: 12.5, at: expect.any(Number) })
  const data = path.join(bench.folder, 'main')
  const ledger = await fsp.readdir(path.join(data, 'ledger'))
  const lines = (await Promise.all(ledger.map((file) => linesOf(path.join(data, 'ledger', file))))).flat()
  expect(lines).toContainEqual(expect.objectContaining({ kind: 'receipt', decision }))
  expect(await linesOf(path.join(data, 'audit.jsonl'))).toMatchObject([
    { who: 'ada', by: 'console', action: 'decide', what: { asset: asset.id, risk: 12.5 }, result: 'done' },
    { who: 'bob', result: 'review-decided' },
  ])
})

it('an urgent asset waits for a person although the local clock is an hour behind the service', async (context) => {
  const bench = await unsureBench(context, { clockOffsetMs: 3_600_000 })
  const asset = await bench.register('urgent', { turnaround: 'priority_5min' })
  const daemon = bench.startHere(REVIEW)
  await waits(bench, daemon, asset.id)
  const item = await get(daemon, `/review/${jobIdOf(asset.id)}`)
  expect(String(item.bytes)).toMatch(/image, (\d+ min )?[\d.]+ s left/)
  expect((await post(daemon, asset.id, { risk: '12.5', note: '' })).status).toBe(303)
  await bench.allScored()
})

it('an asset that nobody decides gets no score, with its own reason', async (context) => {
  const bench = await unsureBench(context)
  const daemon = await bench.startHere(REVIEW).ready()
  const asset = await bench.register('late', { deadlineInMs: 20_000 })
  await waits(bench, daemon, asset.id)
  const expired = () => daemon.metric('attestd_abstained_total', 'reason="review-expired"')
  await bench.until('the deadline', async () => (await expired()) === 1)
  expect((await post(daemon, asset.id, { risk: '10', note: '' })).status).toBe(409)
  expect(bench.sandbox.scores()).toEqual([])
})

it.skipIf(findRedisServer() === null)(
  'daemons with separate roles share the list, and one decision counts',
  async (context) => {
    const bench = await unsureBench(context)
    const redis = { ATTESTD_QUEUE_URL: (await bench.redis()).url }
    const asset = await bench.register('fleet')
    const analyzes = await bench.startHere({ ...redis, ...REVIEW, ATTESTD_ROLES: 'analyze' }, 'analyze').ready()
    const submits = { ATTESTD_ROLES: 'intake,submit', ATTESTD_HTTP_PASSWORD: PASSWORD }
    const sends = await bench.startHere({ ...redis, ...submits }, 'submit').ready()
    await waits(bench, sends, asset.id)
    const id = jobIdOf(asset.id)
    expect(String((await get(sends, `/review/${id}`)).bytes)).toContain('has no detector for image')
    expect((await get(analyzes, `/review/${id}/media`)).status).toBe(200)

    const both = await Promise.all([
      post(sends, asset.id, { risk: '20', note: '' }),
      post(analyzes, asset.id, { risk: '80', note: '' }, { authorization: asUser('bob') }),
    ])
    expect(both.map(({ status }) => status).sort()).toEqual([303, 409])
    await bench.expectExactlyOneEach()
    const risk = both[0]!.status === 303 ? 20 : 80
    expect(bench.sandbox.scores()).toMatchObject([
      { deepfakeRiskScore: risk, algorithm: 'human-review+tiny-image@1.0.0' },
    ])
  },
)

describe.skipIf(!fs.existsSync(CHROMIUM))('in a browser', () => {
  it('a person decides with the keyboard, on a screen of 360 px', async (context) => {
    const bench = await unsureBench(context)
    const [first] = await bench.registerMany(2, 'browser', { title: `A long title ${'without-a-space'.repeat(12)}` })
    const daemon = await bench.startHere(REVIEW).ready()
    await waits(bench, daemon, first!.id)
    const { url } = await daemon.serving()
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS, chromiumSandbox: false })
    context.onTestFinished(() => browser.close())
    const page = await browser.newPage({
      viewport: { width: 360, height: 740 },
      httpCredentials: { username: 'ada', password: PASSWORD },
    })
    const complaints: string[] = []
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
    page.on('pageerror', (error) => complaints.push(error.message))
    const fits = async () =>
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360)

    await page.goto(`${url}/review`)
    await page.locator('[data-row]').first().waitFor()
    await fits()
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    const picture = page.getByAltText('The picture, encoded again')
    await picture.waitFor()
    await page.waitForFunction('document.images[0].naturalWidth > 0')
    await fits()
    // The media is what a person sees first, and the keys work at once.
    expect(await page.evaluate('scrollY')).toBe(0)
    await page.keyboard.press('u')
    await page.waitForURL(`${url}/review`)
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.waitForURL(`${url}/review/*`)
    await page.keyboard.press('r')
    await page.keyboard.type('33,5')
    await page.keyboard.press('Enter')
    await page.getByText('Decision recorded').waitFor()
    await bench.until('a score', () => bench.sandbox.scores().length === 1)
    expect(bench.sandbox.scores()).toMatchObject([{ deepfakeRiskScore: 33.5 }])
    expect(complaints).toEqual([])
  })
})
