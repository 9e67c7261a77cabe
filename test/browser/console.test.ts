import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/core/clock.js'
import type { HttpServer } from '../../src/observe/http-server.js'
import type { QueueEngine } from '../../src/queue/queues.js'
import { sampleState, startTestServer } from '../observe/console-parts.js'
import { openQuietEngine } from '../support/quiet-engine.js'

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

/** The page has asked once after so long, ms. */
const ASKS_MS = 2100

describe.skipIf(!present)('in a browser', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'attestd-browser-'))
  let browser: Browser
  let engine: QueueEngine
  let server: HttpServer
  let waiting = 12
  const answers = { ok: true }

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS, chromiumSandbox: false })
    engine = await openQuietEngine('embedded:', folder)
    await engine.add('analyze', 'asset-in-the-browser', { title: 'Photo' }, { priority: 1 })
    const state = () => {
      const sample = sampleState()
      return { ...sample, queues: sample.queues.map((row) => ({ ...row, waiting })) }
    }
    const queue = () => ({ ok: answers.ok, says: 'The queue answers.' })
    server = (await startTestServer({ state, checks: { queue }, healthClock: systemClock })).server
    server.setBoardQueues(engine.boardQueues())
  })
  afterAll(async () => {
    await browser?.close()
    await server?.close()
    await engine?.close()
    fs.rmSync(folder, { recursive: true, force: true })
  })

  /** A page that notes every complaint of the browser and every request to another origin. */
  async function openPage(options: Parameters<Browser['newContext']>[0] = {}) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })
    const page = await context.newPage()
    const complaints: string[] = []
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
    })
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('request', (request) => {
      const { origin, protocol } = new URL(request.url())
      if (protocol !== 'data:' && origin !== server.url) complaints.push(`request to ${request.url()}`)
    })
    return { page, complaints, close: () => context.close() }
  }

  /** Takes a picture and checks that the page is not blank: a picture of one color packs into next to nothing. */
  async function picture(page: Page, name: string) {
    const file = path.join(folder, `${name}.png`)
    await page.screenshot({ path: file })
    expect(fs.statSync(file).size).toBeGreaterThan(15_000)
  }

  it.each(['light', 'dark'] as const)('the console shows what is going on (%s)', async (colorScheme) => {
    const { page, complaints, close } = await openPage({ colorScheme })
    await page.goto(server.url)
    expect(await page.title()).toBe('attestd: ready')
    await page.getByText('The queue answers.').waitFor()
    expect(await page.getByRole('row').filter({ hasText: 'score_01' }).count()).toBe(1)
    expect(await page.getByText('media-unsupported').count()).toBe(3)
    const ink = await page.evaluate('getComputedStyle(document.body).backgroundColor')
    expect(ink).toBe(colorScheme === 'light' ? 'rgb(246, 247, 249)' : 'rgb(18, 22, 28)')
    await picture(page, `console-${colorScheme}`)
    expect(complaints).toEqual([])
    await close()
  })

  it('the console fits a small screen', async () => {
    const { page, complaints, close } = await openPage({ viewport: { width: 390, height: 800 } })
    await page.goto(server.url)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
    await picture(page, 'console-small')
    expect(complaints).toEqual([])
    await close()
  })

  it('the console follows the daemon, with title and header, also while settings are open', async () => {
    const { page, close } = await openPage()
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
    await close()
  })

  it('a console whose daemon is gone says since when, in red, in header and title, and nothing on it stays green', async () => {
    const queue = () => ({ ok: true, says: 'The queue answers.' })
    let { server: mortal } = await startTestServer({ checks: { queue } })
    const { page, close } = await openPage()
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
    await close()
    await mortal.close()
  })

  it('the console reloads without scripts too', async () => {
    const { page, complaints, close } = await openPage({ javaScriptEnabled: false })
    await page.goto(server.url)
    expect(await page.locator('noscript meta[http-equiv=refresh]').count()).toBe(1)
    expect(complaints).toEqual([])
    await close()
  })

  it('the board shows a queue and its job without a word to another site', async () => {
    const { page, complaints, close } = await openPage()
    await page.goto(`${server.url}/queues`)
    await page.getByText('analyze').first().waitFor()
    await picture(page, 'board')
    await page.goto(`${server.url}/queues/queue/${encodeURIComponent(await queueName())}?status=prioritized`)
    await page.getByText('asset-in-the-browser').first().waitFor()
    await picture(page, 'board-queue')
    expect(complaints).toEqual([])
    await close()
  })

  async function queueName(): Promise<string> {
    const { queues } = (await (await fetch(`${server.url}/queues/api/queues`)).json()) as { queues: { name: string }[] }
    return queues[0]!.name
  }
})
