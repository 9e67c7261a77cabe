import { expect, it, onTestFinished } from 'vitest'
import { openService } from '../../../src/app/open/open-service.js'
import { loadSettings } from '../../../src/config/load.js'
import { createLogger } from '../../../src/observe/logger.js'
import { createThrottledLog } from '../../../src/observe/throttled-log.js'
import { LARGE_EVERY_MS } from '../../../src/service/sse-connection.js'
import { ACCESS_KEY, type Handler, LocalServer, SIGNING_SECRET, sendJson } from '../../service/local-service.js'
import { event, open } from '../../service/stream-harness.js'
import { ManualClock } from '../../support/manual-clock.js'
import { metricLines, newMetrics } from '../../support/metric-lines.js'

const LISTS = 5
const MALFORMED = Array.from({ length: 10_000 }, (_, at) => ({ id: `asset-${at}`, title: at }))

/** The service of a server that states this time and answers so, with its log and metrics. */
async function bench(clock: ManualClock, serverTime: () => number, answer: Handler) {
  const server = await LocalServer.start((request, response) => {
    if (request.target === '/api/v1/time') return sendJson(response, 200, { serverTime: serverTime() })
    return answer(request, response)
  })
  onTestFinished(() => server.stop())
  const written: string[] = []
  const destination = { write: (text: string) => void written.push(text) }
  const log = createLogger({ level: 'info', format: 'json', secrets: [], destination })
  const metrics = newMetrics(clock)
  const env = {
    ATTESTD_SERVICE_URL: server.url,
    ATTESTD_ACCESS_KEY: ACCESS_KEY,
    ATTESTD_SIGNING_SECRET: SIGNING_SECRET,
  }
  const { settings } = loadSettings({ env })
  const parts = { clock, metrics, settings, log, outages: createThrottledLog({ log, clock }), signer: null }
  const opened = await openService(parts, { onRoleMissing: () => {} })
  onTestFinished(opened.close)
  return { ...opened, metrics, logged: () => written.join('') }
}

it('logs a few of 100,000 malformed assets, and counts all', async () => {
  const clock = new ManualClock()
  const { service, metrics, logged } = await bench(
    clock,
    () => clock.now(),
    ({ target }, response) => {
      if (!target.endsWith('/stream')) return sendJson(response, 200, { assets: MALFORMED, stake: {} })
      open(response)
      for (let at = 0; at < LISTS; at++) response.write(event('open-assets', { ids: [], assets: MALFORMED }))
    },
  )
  for (let at = 0; at < LISTS; at++) await service.listOpen({ includeMyScore: true })
  let snapshots = 0
  for await (const { kind } of service.watch(new AbortController().signal)) {
    if (kind !== 'snapshot') continue
    if (++snapshots === LISTS) break
    await clock.advance(LARGE_EVERY_MS)
  }
  const lines = logged()
    .split('\n')
    .filter((line) => line.includes('asset-malformed'))
  expect(lines).toHaveLength(10)
  expect(logged().length).toBeLessThan(8_000)
  const [counted] = await metricLines(metrics, /^attestd_malformed_total\{[^}]*what="asset"/)
  expect(Number(counted?.split(' ')[1])).toBe(2 * LISTS * MALFORMED.length)
})

it('the clock in the metrics equals that of readiness at each scrape, also after the local clock was set', async () => {
  const clock = new ManualClock()
  const start = clock.now()
  const { clock: serviceClock, metrics } = await bench(
    clock,
    () => start,
    (_, response) => sendJson(response, 200, { assets: [], stake: {} }),
  )
  const scraped = () => metricLines(metrics, /^attestd_clock_(trusted|offset_seconds) /)
  await serviceClock.ready()
  expect(await scraped()).toContain('attestd_clock_trusted 1')
  clock.stepWall(3_600_000)
  const trusted = ['attestd_clock_trusted 0', 'attestd_clock_offset_seconds -3600']
  expect(await scraped()).toEqual(expect.arrayContaining(trusted))
})
