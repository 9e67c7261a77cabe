import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { STATES_EMPTY } from '../../.ci/prometheus.mjs'
import { FLEET_METRICS } from '../../src/observe/metrics/fleet-metric-table.js'
import type { MetricEntry } from '../../src/observe/metrics/metric-entry.js'
import { METRICS } from '../../src/observe/metrics/metric-table.js'
import { read, sourceOf } from './pages.js'

// What Prometheus cannot know (.ci/kit.sh, .ci/dashboard-check.mjs): that rules, dashboard, pages and daemon fit each other.
const RULES = 'config/prometheus/alerts.yaml'
const annotations = z.object({ summary: z.string(), description: z.string(), runbook_url: z.string() })
const rule = z.object({
  alert: z.string().regex(/^Attestd[A-Z]/),
  expr: z.string(),
  labels: z.object({ severity: z.enum(['critical', 'warning']) }),
  annotations,
})
const { groups } = z.object({ groups: z.array(z.object({ rules: z.array(rule) })) }).parse(parse(read(RULES)))
const alerts = groups.flatMap(({ rules }) => rules)

const panel = z.object({
  title: z.string(),
  description: z.string().default(''),
  targets: z.array(z.object({ expr: z.string() })).default([]),
})
const { panels } = z.object({ panels: z.array(panel) }).parse(JSON.parse(read('config/grafana/attestd.json')))

const expressions = [
  ...alerts.map(({ alert, expr }) => [alert, expr] as const),
  ...panels.flatMap(({ targets, title }) => targets.map(({ expr }, at) => [`${title} ${at + 1}`, expr] as const)),
]
/** What Prometheus adds to each series. */
const SCRAPED = ['instance', 'job']

/** The row of the table that a series belongs to. */
function entryOf(series: string): MetricEntry | undefined {
  const entries = Object.values<MetricEntry>(METRICS)
  const histogram = series.replace(/_(bucket|sum|count)$/, '')
  return entries.find(({ name, buckets }) => name === (buckets ? histogram : series))
}

function labelsOf(series: string): readonly string[] {
  return [...(entryOf(series)?.labels ?? []), ...(series.endsWith('_bucket') ? ['le'] : []), ...SCRAPED]
}

/** Names of our metrics in an expression, each with the text in its braces. */
function selectorsOf(expr: string): (readonly [string, string])[] {
  return [...expr.matchAll(/\b(attestd_\w+)(?:\{([^}]*)\})?/g)].map(([, name, inner]) => [name!, inner ?? ''])
}

describe('rules and dashboard', () => {
  it.each(expressions)('%s: every metric is in the table, with these labels', (_, expr) => {
    const selectors = selectorsOf(expr)
    for (const [name, inner] of selectors) {
      expect(entryOf(name), name).toBeDefined()
      for (const [, label] of inner.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)) expect(labelsOf(name)).toContain(label)
    }
    const known = selectors.flatMap(([name]) => labelsOf(name))
    const grouped = [...expr.matchAll(/\b(?:by|on)\s*\(([^)]*)\)/g)].flatMap(([, list]) => list!.split(/,\s*/))
    if (selectors.length > 0) expect(known).toEqual(expect.arrayContaining(grouped))
  })

  it.each(expressions)('%s: what every daemon reports is not counted twice', (_, expr) => {
    const summed = expr.replaceAll(/\b(?:max|min)(?: by \([^)]*\))? \((?:delta\()?attestd_\w+|\bmax\(attestd_\w+/g, '')
    const shared = Object.values<MetricEntry>(FLEET_METRICS)
    for (const [name] of selectorsOf(summed)) expect(shared, name).not.toContain(entryOf(name))
  })
})

/** What is left of a vector by a comparison at its end may be nothing; so are the alerts that fire. */
const MAY_BE_EMPTY = /[)}]\s*(?:[<>]=?|[!=]=)\s*[\d.]+\s*$|\bALERTS\b/

describe('panels that .ci/dashboard-check.mjs may find empty', () => {
  const some = panels.filter(({ targets }) => targets.some(({ expr }) => MAY_BE_EMPTY.test(expr)))

  it.each(some.map(({ description, title }) => [title, description]))(
    '%s: the description states when',
    (_, description) => {
      expect(description).toMatch(STATES_EMPTY)
    },
  )

  it('exist, and every panel that a description calls empty is recognized by the check', () => {
    expect(some.length).toBeGreaterThan(2)
    const named = panels.filter(({ description }) => /\bempty\b/i.test(description))
    for (const { description, title } of named) expect(description, title).toMatch(STATES_EMPTY)
  })
})

describe('each alert', () => {
  const page = read('docs/alerts.md')
  const entries = `${page}\n#`.matchAll(/^### (Attestd\w+)\n\n(.*?)(?=^#)/gms)
  const pages = [...entries].map(([, name, text]) => ({ name, text }))

  it('has a section in the order of the rules, and a working link', () => {
    expect(pages.map(({ name }) => name)).toEqual(alerts.map(({ alert }) => alert))
    for (const { alert, annotations: told } of alerts) {
      expect(told.runbook_url).toBe(`{{ or $externalLabels.attestd_docs "docs" }}/alerts.md#${alert.toLowerCase()}`)
    }
    for (const { text } of pages) expect(text).toMatch(/^- \*\*Means\*\*: .*^- \*\*Look\*\*: .*^- \*\*Do\*\*: /ms)
  })

  it('fires in the tests of the rules', () => {
    const tests = read('config/prometheus/alerts.test.yaml')
    for (const { alert } of alerts) expect(tests).toContain(`alertname="${alert}"`)
  })

  it('exists for each readiness check, except stopping, and media, which only warns', () => {
    const source = sourceOf('src', 'app')
    const checks = [...source.matchAll(/health\.register\('(\w+)'/g)].map(([, name]) => name!)
    const watched = alerts.flatMap(({ expr }) => /attestd_not_ready\{check="(\w+)"\}/.exec(expr)?.[1] ?? [])
    expect([...watched, 'media', 'running'].sort()).toEqual([...new Set(checks)].sort())
  })

  it('has its panels on the dashboard', () => {
    const titles = panels.map(({ title }) => title)
    const named = [
      ...page.matchAll(/(?:[Pp]anels?|row) (?:of the dashboard )?"([^"]+)"|, or less is done \("([^"]+)"\)/g),
    ]
    expect(named.length).toBeGreaterThan(5)
    for (const [, one, other] of named) expect(titles.some((title) => title.startsWith((one ?? other)!))).toBe(true)
  })
})
