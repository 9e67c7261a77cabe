import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import type { AxeResults } from 'axe-core'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../src/core/clock.js'
import { asRisk } from '../../src/core/risk.js'
import { jobIdOf } from '../../src/core/text.js'
import { evaluationPage } from '../../src/lab/report/evaluation-page.js'
import { documentOf } from '../../src/observe/console/history-document.js'
import type { HttpServer } from '../../src/observe/http-server.js'
import type { ReviewHandlers } from '../../src/observe/review/review-port.js'
import type { QueueEngine } from '../../src/queue/queues.js'
import { evaluationBy } from '../lab/evaluate/evaluation-by.js'
import { NOW, sampleHistory, sampleState, startServer, startTestServer } from '../observe/console-parts.js'
import { openQuietEngine } from '../support/quiet-engine.js'
import { scoredRow } from '../support/scored-rows.js'
import { folderForAll } from '../support/temporary-folder.js'
import { tinyLoaded } from '../support/tiny-loaded.js'

const CHROMIUM = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'
const present = fs.existsSync(CHROMIUM)
if (!present) console.warn(`No browser at ${CHROMIUM}: the browser tests are skipped (CHROMIUM_PATH names another).`)

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Longest wait for what a page should show, ms. */
const WAIT_MS = 12_000
/** The page has asked once after so long, ms. */
const ASKS_MS = 2100
const SEEN = [
  ['light', 1280],
  ['dark', 1280],
  ['light', 360],
  ['dark', 360],
] as const
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

/** What axe-core calls serious or critical, by its rule and the element. */
async function seriousFindings(page: Page): Promise<string[]> {
  // Run in the page by the browser's debugger: its policy takes no script of ours.
  await page.evaluate(fs.readFileSync(AXE, 'utf8'))
  const { violations } = await page.evaluate<AxeResults>('axe.run()')
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
  return serious.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
}

const tiny = tinyLoaded()

describe.skipIf(!present)('in a browser', () => {
  const folder = folderForAll()
  let browser: Browser
  let engine: QueueEngine
  let server: HttpServer
  let waiting = 12
  const answers = { ok: true }

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS, chromiumSandbox: false })
    engine = await openQuietEngine('embedded:', folder)
    const asset = { id: 'asset-in-the-browser', title: 'A photo of the harbor' }
    await engine.add('analyze-image', jobIdOf(sampleState().recent[0]!.assetId), { asset }, { priority: 1 })
    const state = () => {
      const sample = sampleState()
      return { ...sample, queues: sample.queues.map((row) => ({ ...row, waiting })) }
    }
    const queue = () => ({ ok: answers.ok, message: 'The queue answers.' })
    const boardQueues = engine.boardQueues()
    server = (await startServer({ state, checks: { queue }, healthClock: systemClock, boardQueues })).server
  })
  afterAll(async () => {
    await browser?.close()
    await server?.close()
    await engine?.close()
  })

  /** A page until the test ends, which notes every complaint of the browser and every request to another origin. */
  async function openPage(options: Parameters<Browser['newContext']>[0] = {}) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })
    onTestFinished(() => context.close())
    const page = await context.newPage()
    page.setDefaultTimeout(WAIT_MS)
    const complaints: string[] = []
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
    })
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('request', (request) => {
      const { origin, protocol } = new URL(request.url())
      if (protocol !== 'data:' && origin !== server.url) complaints.push(`request to ${request.url()}`)
    })
    return { page, complaints }
  }

  /** Takes a picture and checks that the page is not blank: a picture of one color packs into next to nothing. */
  async function picture(page: Page, name: string) {
    const file = path.join(folder, `${name}.png`)
    await page.screenshot({ path: file })
    expect(fs.statSync(file).size).toBeGreaterThan(15_000)
  }

  it.each(['light', 'dark'] as const)('the console shows the current state (%s)', async (colorScheme) => {
    const { page, complaints } = await openPage({ colorScheme })
    await page.goto(server.url)
    expect(await page.title()).toBe('attestd: ready')
    await page.getByText('The queue answers.').waitFor()
    expect(await page.getByRole('row').filter({ hasText: 'score_01' }).count()).toBe(1)
    expect(await page.getByText('media-unsupported').count()).toBe(3)
    const ink = await page.evaluate('getComputedStyle(document.body).backgroundColor')
    expect(ink).toBe(colorScheme === 'light' ? 'rgb(246, 247, 249)' : 'rgb(18, 22, 28)')
    await picture(page, `console-${colorScheme}`)
    expect(complaints).toEqual([])
  })

  it('the console fits a small screen', async () => {
    const { page, complaints } = await openPage({ viewport: { width: 360, height: 800 } })
    await page.goto(server.url)
    await page.locator('.u-wrap').nth(4).waitFor()
    await page.getByText('As a table').click()
    await page.locator('#recent summary').first().click()
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360)
    await picture(page, 'console-small')
    expect(complaints).toEqual([])
  })

  it('a wide table of a report of models eval scrolls in its box, not with the page', async () => {
    const rows = [0.9, 0.2].map((risk) => scoredRow(risk, risk > 0.5, { columns: { source: 'x'.repeat(200) } }))
    const page = await browser.newPage({ viewport: { width: 1000, height: 800 } })
    onTestFinished(() => page.close())
    await page.setContent(evaluationPage(evaluationBy(tiny(), rows, { prior: null, by: ['source'] }), new Map()))
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(1000)
  })

  it('the console follows the daemon, with title and header, also while settings are open', async () => {
    const { page } = await openPage()
    await page.clock.install()
    await page.goto(server.url)
    await page.getByText('12', { exact: true }).first().waitFor()
    waiting = 777
    await page.clock.runFor(ASKS_MS)
    await page.getByText('777', { exact: true }).first().waitFor()
    await page.getByText('in force').click()
    answers.ok = false
    await page.clock.runFor(ASKS_MS)
    await page.locator('header .state.bad', { hasText: 'not ready' }).waitFor()
    expect(await page.title()).toBe('attestd: not ready')
    expect(await page.locator('details[open]').count()).toBe(1)
    answers.ok = true
  })

  it('a console without its daemon shows since when, in red, in header and title, and no part stays green', async () => {
    const queue = () => ({ ok: true, message: 'The queue answers.' })
    let { server: mortal } = await startTestServer({ checks: { queue } })
    const { page } = await openPage()
    await page.clock.install()
    await page.goto(mortal.url)
    expect(await page.title()).toBe('attestd: ready')
    await mortal.close()
    await page.clock.runFor(ASKS_MS)
    await page.locator('header .state.bad', { hasText: /^no answer since \d\d:\d\d:\d\d UTC$/ }).waitFor()
    expect(await page.title()).toMatch(/^attestd: no answer since/)
    expect(await page.evaluate('getComputedStyle(document.querySelector("main")).filter')).toBe('grayscale(1)')
    mortal = (await startTestServer({ checks: { queue }, port: mortal.port })).server
    await page.clock.runFor(ASKS_MS)
    await page.locator('header .state.ok', { hasText: /^ready$/ }).waitFor()
    expect(await page.title()).toBe('attestd: ready')
  })

  it.each(SEEN)('axe-core finds nothing serious on the console (%s, %i px wide)', async (colorScheme, width) => {
    const { page } = await openPage({ colorScheme, viewport: { width, height: 900 } })
    await page.goto(server.url)
    await page.locator('.u-wrap').nth(4).waitFor()
    for (const details of await page.locator('details summary').all()) await details.click()
    expect(await seriousFindings(page)).toEqual([])
  })

  it('the last hour is drawn by the bundled library, with its values as text', async () => {
    const { page, complaints } = await openPage()
    await page.goto(server.url)
    await page.locator('.u-wrap').nth(4).waitFor()
    const inked = `[...document.querySelectorAll('.u-wrap canvas')].map((canvas) =>
      canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.some((byte) => byte !== 0))`
    expect(await page.evaluate(inked)).toEqual([true, true, true, true, true])
    const last = documentOf(sampleHistory()).plots[2]!.series[0]!.values.at(-1)
    expect(await page.locator('#plot-waiting .legend').textContent()).toContain(`analyze ${last}`)
    await page.locator('#plot-waiting .u-over').hover({ position: { x: 40, y: 40 } })
    await page.locator('#plot-waiting .legend', { hasNotText: `analyze ${last} ` }).waitFor()
    await page.getByText('As a table').click()
    expect(await page.locator('#hour-details tbody tr').count()).toBe(12)
    expect(complaints).toEqual([])
  })

  it('rows are filtered by outcome and text with the keyboard alone, and the filter survives an update', async () => {
    const { page, complaints } = await openPage()
    await page.clock.install()
    await page.goto(server.url)
    await page.getByLabel('Outcome').focus()
    await page.keyboard.type('fa')
    await page.keyboard.press('Tab')
    await page.keyboard.type('photo 4')
    await page.keyboard.press('Enter')
    await page.waitForURL(/outcome=failed&text=photo/)
    expect(await page.locator('#recent tbody tr').count()).toBe(1)
    expect(await page.locator('#recent').textContent()).toContain('The service has another score of this key.')
    await page.locator('#recent summary').focus()
    await page.keyboard.press('Enter')
    await page.clock.runFor(ASKS_MS)
    expect(await page.evaluate('document.activeElement.textContent')).toBe('replay')
    expect(await page.locator('#recent details[open] code').textContent()).toBe(
      `npx attestd replay --config /srv/attestd.yaml '${sampleState().recent[4]!.assetId.replaceAll("'", "'\\''")}'`,
    )
    expect(await page.getByLabel('Text').inputValue()).toBe('photo 4')
    expect(complaints).toEqual([])
  })

  it('the console reloads without scripts too', async () => {
    const { page, complaints } = await openPage({ javaScriptEnabled: false })
    await page.goto(server.url)
    expect(await page.locator('noscript meta[http-equiv=refresh]').count()).toBe(1)
    expect(complaints).toEqual([])
  })

  it('the board shows a queue and its job without a request to another site', async () => {
    const { page, complaints } = await openPage()
    await page.goto(`${server.url}/queues`)
    await page.getByText('analyze').first().waitFor()
    await picture(page, 'board')
    await page.goto(`${server.url}/queues/queue/analyze-image?status=prioritized`)
    await page.getByText('A photo of the harbor').first().waitFor()
    await page.getByText('Read-only: no password is set').first().waitFor()
    await picture(page, 'board-queue')
    expect(complaints).toEqual([])
  })

  it('a row leads to its job on the board', async () => {
    const { page, complaints } = await openPage()
    await page.goto(`${server.url}/?outcome=failed`)
    const job = await page.locator('#recent a').first().getAttribute('href')
    expect(job).toBe(`/queues/queue/submit/${jobIdOf(sampleState().recent[4]!.assetId)}`)
    await page.goto(server.url)
    const verdict = `/queues/queue/analyze-image/${jobIdOf(sampleState().recent[0]!.assetId)}`
    await page.goto(`${server.url}${verdict}`)
    await page.getByText('A photo of the harbor').first().waitFor()
    expect(complaints).toEqual([])
  })

  it('the board reports that the queue is unreachable, and shows it again afterwards', async () => {
    const { page } = await openPage()
    answers.ok = false
    await expect.poll(async () => (await fetch(`${server.url}/readyz`)).status).toBe(503)
    await page.goto(`${server.url}/queues`)
    await page.getByText('The queue does not answer').waitFor()
    expect(await page.title()).toBe('attestd queues: no answer')
    expect(await seriousFindings(page)).toEqual([])
    answers.ok = true
    await page.getByText('analyze').first().waitFor()
  })

  it('the reload of the review list keeps the focus on its row', async () => {
    const common = {
      mediaType: 'image',
      isUrgent: false,
      deadline: NOW + 3_600_000,
      risk: asRisk(0.5),
      algorithm: 'd@1',
    }
    const rows = ['a', 'b'].map((one) => ({
      ...common,
      id: `asset-${one.repeat(40)}`,
      assetId: one,
      title: `Photo ${one}`,
    }))
    const review = { now: () => NOW, list: async () => rows } as unknown as ReviewHandlers
    const { server: desk } = await startTestServer({ review, password: 'long-enough' })
    const { page } = await openPage({ httpCredentials: { username: 'ada', password: 'long-enough' } })
    await page.goto(`${desk.url}/review`)
    const focused = () => page.evaluate('document.activeElement.textContent')
    for (const _ of rows) await page.keyboard.press('j')
    expect(await focused()).toBe('Photo b')
    await page.reload()
    expect(await focused()).toBe('Photo b')
  })
})
