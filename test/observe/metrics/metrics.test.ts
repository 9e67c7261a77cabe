import fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import { packagePath } from '../../../src/core/files.js'
import type { MetricEntry } from '../../../src/observe/metrics/metric-entry.js'
import { METRIC_GROUPS, METRICS } from '../../../src/observe/metrics/metric-table.js'
import { createMetrics } from '../../../src/observe/metrics/metrics.js'
import { ManualClock } from '../../support/manual-clock.js'
import { metricLines, newMetrics } from '../../support/metric-lines.js'

const clock = new ManualClock()
const entries = Object.values<MetricEntry>(METRICS)

describe('the metric table', () => {
  it.each(entries.map((entry) => [entry.name, entry] as const))('%s is well formed', (name, entry) => {
    expect(name).toMatch(/^attestd_[a-z]+(_[a-z]+)*$/)
    const { buckets, labels = [] } = entry
    if (buckets) {
      expect(name).toMatch(/_(seconds|percent)$/)
      expect(buckets).toEqual(buckets.toSorted((a, b) => a - b))
    }
    expect(entry.help).toMatch(/^[A-Z1].+\.$/)
    for (const label of labels) expect(label).not.toMatch(/asset|(^|_)id$/)
    for (const zero of entry.zeros ?? []) expect(Object.keys(zero)).toEqual(labels)
  })

  it('has no name twice', () => {
    expect(new Set(entries.map(({ name }) => name)).size).toBe(entries.length)
  })
})

describe('createMetrics', () => {
  it('exposes what was counted, set and observed', async () => {
    const metrics = newMetrics(clock)
    metrics.jobs.inc({ queue: 'submit', outcome: 'completed', reason: 'none' })
    metrics.jobs.inc({ queue: 'submit', outcome: 'completed', reason: 'none' }, 2)
    metrics.beforeScrape(() => metrics.queueDepth.set({ queue: 'analyze', state: 'waiting' }, 7))
    metrics.openToAccepted.observe({ turnaround: 'priority_5min' }, 301)
    const text = await metrics.text()
    expect(text).toContain('attestd_jobs_total{queue="submit",outcome="completed",reason="none"} 3')
    expect(text).toContain('attestd_queue_depth{queue="analyze",state="waiting"} 7')
    expect(text).toContain('attestd_open_to_accepted_seconds_bucket{le="300",turnaround="priority_5min"} 0')
    expect(text).toContain('attestd_open_to_accepted_seconds_bucket{le="600",turnaround="priority_5min"} 1')
    expect(text).not.toContain('process_cpu')
  })

  it('keeps the sets of two daemons in one process separate', async () => {
    const [one, other] = [
      createMetrics({ clock, processMetrics: true }),
      createMetrics({ clock, processMetrics: true }),
    ]
    one.scores.inc({ how: 'accepted' })
    expect(await other.text()).toContain('attestd_scores_total{how="accepted"} 0\n')
    expect(await other.text()).toContain('nodejs_eventloop_lag_p99_seconds')
  })

  it('compares the stake exactly, although the gauges are floats', async () => {
    const metrics = newMetrics(clock)
    const minStakeWei = 10n ** 18n
    metrics.setStake({ stakedWei: minStakeWei - 1n, minStakeWei })
    expect(await metrics.text()).toMatch(/attestd_stake_ether 1\n[\s\S]*attestd_stake_enough 0\n/)
    metrics.setStake({ stakedWei: minStakeWei, minStakeWei })
    expect(await metrics.text()).toContain('attestd_stake_enough 1\n')
  })

  it('reads collected values at the scrape, and counts a collector that fails', async () => {
    const metrics = newMetrics(clock)
    let depth = 1
    metrics.beforeScrape(() => metrics.queueDepth.set({ queue: 'submit', state: 'failed' }, depth))
    metrics.beforeScrape(() => Promise.reject(new Error('no queue')))
    await metrics.text()
    depth = 2
    const text = await metrics.text()
    expect(text).toContain('attestd_queue_depth{queue="submit",state="failed"} 2')
    expect(text).toContain('attestd_scrape_failures_total 2')
  })

  it('collects once for simultaneous scrapes, and again for the next', async () => {
    const metrics = newMetrics(clock)
    let depth = 0
    metrics.beforeScrape(async () => metrics.queueDepth.set({ queue: 'submit', state: 'failed' }, ++depth))
    const texts = await Promise.all(Array.from({ length: 50 }, () => metrics.text()))
    for (const text of texts) expect(text).toContain('state="failed"} 1\n')
    expect(await metrics.text()).toContain('state="failed"} 2\n')
  })

  it('waits for a collector up to a time limit', async () => {
    const standing = new ManualClock()
    const metrics = newMetrics(standing)
    metrics.beforeScrape(() => new Promise(() => {}))
    const text = metrics.text()
    await standing.untilSleeping()
    await standing.advance(2000)
    expect(await text).toContain('attestd_scrape_failures_total 1')
  })

  it('a cleared gauge has no series, with labels and without', async () => {
    const metrics = newMetrics(clock)
    metrics.lastInferenceAge.set({}, 14)
    metrics.mediaFetching.set({ state: 'first' }, 1)
    for (const gauge of [metrics.lastInferenceAge, metrics.mediaFetching]) gauge.clear()
    expect(await metrics.text()).not.toMatch(/^attestd_(last_inference_age_seconds|media_fetching)/m)
    metrics.lastInferenceAge.set({}, 3)
    expect(await metrics.text()).toContain('attestd_last_inference_age_seconds 3\n')
  })

  it('fleet values have no series where the next scrape cannot read them', async () => {
    const metrics = newMetrics(clock)
    let isAway = false
    metrics.beforeScrape(() => {
      if (isAway) throw new Error('no queue')
      metrics.missesAhead.set({}, 14)
    })
    expect(await metrics.text()).toContain('attestd_deadline_misses_ahead 14\n')
    isAway = true
    expect(await metrics.text()).not.toMatch(/^attestd_deadline_misses_ahead/m)
  })

  it('a role that this daemon lacks has no series, instead of a misleading 0', async () => {
    const metrics = createMetrics({ clock, processMetrics: false, roles: ['analyze'] })
    metrics.setStake({ stakedWei: 2n, minStakeWei: 1n })
    metrics.streamConnected.set({}, 0)
    metrics.lastInferenceAge.set({}, 3)
    const text = await metrics.text()
    for (const { metrics: group, roles = ['analyze'] } of METRIC_GROUPS) {
      for (const { name } of Object.values(group)) {
        if (roles.includes('analyze')) expect(text).toContain(`# TYPE ${name} `)
        else expect(text).not.toContain(name)
      }
    }
    expect(text).toContain('attestd_last_inference_age_seconds 3\n')
  })

  it('a gauge that nobody has set yet has no series', async () => {
    const text = await newMetrics(clock).text()
    const gauges = entries.filter(({ buckets, name }) => !buckets && !name.endsWith('_total'))
    for (const { name } of gauges) expect(text).not.toMatch(new RegExp(`^${name}[ {]`, 'm'))
  })

  it('counters of alerts start at 0', async () => {
    const text = await newMetrics(clock).text()
    expect(text).toContain('attestd_missed_total{turnaround="priority_5min",reason="late"} 0\n')
    expect(text).toContain('attestd_scores_total{how="accepted"} 0\n')
  })

  it('limits the series of a metric', async () => {
    const metrics = newMetrics(clock)
    for (let i = 0; i < 1000; i += 1) metrics.gatewayRequests.inc({ gateway: `host-${i}`, outcome: 'ok' })
    metrics.gatewayRequests.inc({ gateway: 'host-0', outcome: 'ok' })
    const lines = await metricLines(metrics, /^attestd_gateway_requests_total\{/)
    expect(lines).toHaveLength(301)
    expect(lines).toContain('attestd_gateway_requests_total{gateway="host-0",outcome="ok"} 2')
    expect(lines).toContain('attestd_gateway_requests_total{gateway="other",outcome="other"} 700')
  })
})

describe('use of the metrics', () => {
  const filesUnder = (folder: string, kind: RegExp): string[] =>
    fs
      .readdirSync(packagePath(folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => kind.test(name))
      .map((name) => fs.readFileSync(packagePath(folder, name), 'utf8'))
  const app = ['src/app', 'src/cli'].flatMap((folder) => filesUnder(folder, /\.ts$/)).join('\n')
  const stakeKeys = new Set(Object.keys(METRICS).filter((key) => key.startsWith('stake')))

  it('the app feeds every metric of the table', () => {
    const idle = Object.keys(METRICS).filter((key) => !new RegExp(`\\b${key}\\.(inc|set|observe)\\b`).test(app))
    expect(idle.filter((key) => !stakeKeys.has(key) && key !== 'scrapeFailures')).toEqual([])
    expect(app).toContain('setStake(')
  })

  it('every metric that a dashboard, alert or page names exists', () => {
    const known = new Set(entries.map(({ name }) => name))
    const pages = ['README.md', 'CONTRIBUTING.md'].map((name) => fs.readFileSync(packagePath(name), 'utf8'))
    const text = [...pages, ...filesUnder('config', /\.(json|ya?ml|md)$/)].join('\n')
    const named = text.match(
      /\battestd_(?:[a-z_]+_)?(?:total|seconds|bytes|ether|wei|percent|depth|ready|trusted|enough|connected|processes|info|daemons|second|mixed|jobs|ahead|psi|fetching)\b/g,
    )
    expect([...new Set(named)].filter((name) => !known.has(name))).toEqual([])
    expect(new Set(named).size).toBe(known.size)
  })
})
