import { describe, expect, it } from 'vitest'
import { SETTINGS } from '../../src/config/settings.js'
import { REASONS } from '../../src/core/reasons.js'
import { read, sourceOf } from './pages.js'

const page = read('docs/operations.md')

describe('docs/operations.md', () => {
  it('log lines exist in the source, with reasons of the list', () => {
    const lines = [...page.matchAll(/^\{"level".*\}$/gm)].map(([line]) => JSON.parse(line) as Record<string, string>)
    expect(lines.length).toBeGreaterThan(3)
    const source = sourceOf('src')
    for (const { msg } of lines) expect(source).toContain(msg)
    for (const { reason } of lines) if (reason !== undefined) expect(Object.keys(REASONS)).toContain(reason)
  })

  it('the time after which a lost queue does no harm is right', () => {
    const ms = Number(SETTINGS.timestampWindowMs.fallback) + Number(SETTINGS.storeTimeMs.fallback)
    expect(page).toContain(`**${ms / 1000} s** is \`ATTESTD_TIMESTAMP_WINDOW_MS\` plus \`ATTESTD_STORE_TIME_MS\``)
  })

  it('the facts about the Kubernetes objects are right', () => {
    const analyze = read('config/kubernetes/analyze.yaml')
    const [, jobs, least, most] =
      /one analyze pod per (\d+) waiting jobs of the\n {2}kind of media with most \((\d+) to (\d+) pods\)/.exec(page)!
    expect(analyze).toContain(`targetValue: "${jobs}"`)
    expect(analyze).toContain(`minReplicaCount: ${least}\n  maxReplicaCount: ${most}\n`)
  })
})
