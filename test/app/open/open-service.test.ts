import { expect, it } from 'vitest'
import { openService } from '../../../src/app/open/open-service.js'
import { loadSettings } from '../../../src/config/load.js'
import { createLogger } from '../../../src/observe/logger.js'
import { createMetrics } from '../../../src/observe/metrics/metrics.js'
import { createThrottledLog } from '../../../src/observe/throttled-log.js'
import { LARGE_EVERY_MS } from '../../../src/service/sse-connection.js'
import { ACCESS_KEY, LocalServer, SIGNING_SECRET, sendJson } from '../../service/local-service.js'
import { event, open } from '../../service/stream-harness.js'
import { ManualClock } from '../../support/manual-clock.js'

const LISTS = 5
const MALFORMED = Array.from({ length: 10_000 }, (_, at) => ({ id: `asset-${at}`, title: at }))

it('logs a few of 100,000 malformed assets, and counts all', async ({ onTestFinished }) => {
  const clock = new ManualClock()
  const server = await LocalServer.start(({ target }, response) => {
    if (target === '/api/v1/time') return sendJson(response, 200, { serverTime: clock.now() })
    if (!target.endsWith('/stream')) return sendJson(response, 200, { assets: MALFORMED, stake: {} })
    open(response)
    for (let at = 0; at < LISTS; at++) response.write(event('open-assets', { ids: [], assets: MALFORMED }))
  })
  onTestFinished(() => server.stop())
  let logged = ''
  const log = createLogger({
    level: 'info',
    format: 'json',
    secrets: [],
    destination: { write: (text) => (logged += text) },
  })
  const metrics = createMetrics({ clock, processMetrics: false })
  const { settings } = loadSettings({
    env: {
      ATTESTD_SERVICE_URL: server.url,
      ATTESTD_ACCESS_KEY: ACCESS_KEY,
      ATTESTD_SIGNING_SECRET: SIGNING_SECRET,
    },
  })
  const { service, close } = await openService(
    {
      clock,
      metrics,
      settings,
      log,
      outages: createThrottledLog({ log, clock }),
      signer: null,
    },
    { onRoleMissing: () => {} },
  )
  onTestFinished(close)
  for (let at = 0; at < LISTS; at++) await service.listOpen({ includeMyScore: true })
  let snapshots = 0
  for await (const { kind } of service.watch(new AbortController().signal)) {
    if (kind !== 'snapshot') continue
    if (++snapshots === LISTS) break
    await clock.advance(LARGE_EVERY_MS)
  }
  const lines = logged.split('\n').filter((line) => line.includes('asset-malformed'))
  expect(lines).toHaveLength(10)
  expect(logged.length).toBeLessThan(8_000)
  const counted = /attestd_malformed_total\{[^}]*what="asset"[^}]*\} (\d+)/.exec(await metrics.text())
  expect(Number(counted?.[1])).toBe(2 * LISTS * MALFORMED.length)
})

it('its clock in the metrics is that of readiness at each scrape, also when the local clock was set since it was measured', async ({
  onTestFinished,
}) => {
  const clock = new ManualClock()
  const start = clock.now()
  const server = await LocalServer.start(({ target }, response) => {
    if (target === '/api/v1/time') return sendJson(response, 200, { serverTime: start })
    sendJson(response, 200, { assets: [], stake: {} })
  })
  onTestFinished(() => server.stop())
  const log = createLogger({ level: 'error', format: 'json', secrets: [], destination: { write: () => {} } })
  const metrics = createMetrics({ clock, processMetrics: false })
  const env = {
    ATTESTD_SERVICE_URL: server.url,
    ATTESTD_ACCESS_KEY: ACCESS_KEY,
    ATTESTD_SIGNING_SECRET: SIGNING_SECRET,
  }
  const opened = await openService(
    {
      clock,
      metrics,
      settings: loadSettings({ env }).settings,
      log,
      outages: createThrottledLog({ log, clock }),
      signer: null,
    },
    { onRoleMissing: () => {} },
  )
  onTestFinished(opened.close)
  const scraped = async (name: string) => Number(new RegExp(`^${name} (\\S+)`, 'm').exec(await metrics.text())?.[1])
  await opened.clock.ready()
  expect(await scraped('attestd_clock_trusted')).toBe(1)
  clock.stepWall(3_600_000)
  expect(await scraped('attestd_clock_trusted')).toBe(0)
  expect(await scraped('attestd_clock_offset_seconds')).toBe(-3600)
})
