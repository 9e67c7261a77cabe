// Makes docs/console.png: a real daemon against a real sandbox with the sample media, seen by Chromium.
// Needs `npm run build` and a Chromium (CHROMIUM_PATH names one that is not at /usr/bin/chromium).
import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { chromium } from 'playwright-core'
import { startDaemonProcess } from '../dist/app/demo/daemon-process.js'
import { readSamples } from '../dist/app/samples.js'
import { systemClock } from '../dist/core/clock.js'
import { startSandbox } from '../dist/sandbox/create-sandbox.js'

const PICTURE = 'docs/console.png'
const SIZE = { width: 1400, height: 1640 }
/** Between two assets, ms: the plots have a point every 10 s. */
const PAUSE_MS = 1800
const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'attestd-picture-'))
const sandbox = await startSandbox({ clock: systemClock, port: 8787 })
const daemon = await startDaemonProcess({
  dataDir: path.join(folder, 'data'),
  logFile: path.join(folder, 'daemon.log'),
  clock: systemClock,
  startMs: 120_000,
  env: {
    ATTESTD_SERVICE_URL: sandbox.url,
    ATTESTD_IPFS_GATEWAYS: sandbox.url,
    ATTESTD_ACCESS_KEY: sandbox.attesterKey.accessKey,
    ATTESTD_SIGNING_SECRET: sandbox.attesterKey.signingSecret,
    ATTESTD_HTTP_PORT: '8780',
    ATTESTD_UNSURE_POLICY: 'submit',
  },
})
try {
  const samples = await readSamples()
  const photo = await fs.readFile(samples[0].path)
  // Machine-made ones first, so that both kinds are in the picture; two bad files show what becomes of such.
  const ordered = samples.toSorted((a, b) => a.made.localeCompare(b.made))
  for (const { path: file, title, mediaType } of ordered.slice(0, -3)) await register(file, { title, mediaType })
  await register('notes.jpg', { title: 'A text that says it is a photo', content: Buffer.from('no picture\n') })
  for (const { path: file, title, mediaType } of ordered.slice(-3)) await register(file, { title, mediaType })
  await register('cut.jpg', { title: 'A photo cut off in transit', content: photo.subarray(0, 2000) })
  for (let tries = 0; (await analyzed()) < samples.length + 2 && tries < 120; tries++) await systemClock.sleep(500)
  // A point more, so that the plots hold the last assets, too.
  await systemClock.sleep(10_000)
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
    args: ['--headless', '--no-sandbox', '--disable-gpu'],
    chromiumSandbox: false,
  })
  const page = await browser.newPage({ viewport: SIZE, colorScheme: 'light' })
  await page.goto('http://127.0.0.1:8780/')
  await page.locator('.u-wrap').nth(4).waitFor()
  await fs.mkdir(path.dirname(PICTURE), { recursive: true })
  await page.screenshot({ path: PICTURE })
  await browser.close()
  process.stdout.write(`written: ${PICTURE}, ${(await fs.stat(PICTURE)).size} bytes\n`)
} finally {
  daemon.kill('SIGTERM')
  await daemon.exited
  await sandbox.close()
  await fs.rm(folder, { recursive: true, force: true })
}

async function analyzed() {
  const { queues } = await (await fetch('http://127.0.0.1:8780/status')).json()
  const analyze = queues.filter(({ name }) => name.startsWith('analyze-'))
  return analyze.reduce((sum, { completed }) => sum + completed, 0)
}

async function register(file, options) {
  await sandbox.registerFile(file, options)
  await systemClock.sleep(PAUSE_MS)
}
