import { describe, expect, it } from 'vitest'
import { countDetectorEvent, countMediaEvent, partLabel } from '../../../src/app/open/room-events.js'
import type { LoadedDetector } from '../../../src/detect/detection.js'
import { metricLines, newMetrics } from '../../support/metric-lines.js'

function counted() {
  const metrics = newMetrics()
  const series = (name: RegExp) => metricLines(metrics, name)
  return { detector: countDetectorEvent(metrics), media: countMediaEvent(metrics), series }
}

const loaded = (id: string, change: object = {}) =>
  ({ id, version: '1.0.0', digest: 'abcdef0123456789'.repeat(4), shadow: false, ...change }) as LoadedDetector

describe('detectors in metrics', () => {
  it('count an ended process by its reason, and a closed one not at all', async () => {
    const { detector, series } = counted()
    for (const cause of ['crashed', 'crashed', 'timeout', 'closed'] as const)
      detector({ type: 'child-stopped', pid: 1, cause })
    detector({ type: 'child-start-failed', reason: 'detector-start-failed' })
    expect(await series(/^attestd_detector_restarts_total\{.* [1-9]/)).toEqual([
      'attestd_detector_restarts_total{reason="crashed"} 2',
      'attestd_detector_restarts_total{reason="timeout"} 1',
      'attestd_detector_restarts_total{reason="detector-start-failed"} 1',
    ])
  })

  it('set replaced detectors to 0 and their successors to 1, including one that stays', async () => {
    const { detector, series } = counted()
    detector({ type: 'detectors-loaded', detectors: [loaded('a'), loaded('b')], before: [] })
    detector({
      type: 'detectors-loaded',
      detectors: [loaded('b'), loaded('c', { shadow: true })],
      before: [loaded('a'), loaded('b')],
    })
    const info = await series(/^attestd_detector_info\{/)
    const values = info.map((line) => [/detector="(\w)"/.exec(line)?.[1], /part="(\w+)"/.exec(line)?.[1], line.at(-1)])
    expect(values.toSorted()).toEqual([
      ['a', 'scores', '0'],
      ['b', 'scores', '1'],
      ['c', 'shadow', '1'],
    ])
    expect(info[0]).toContain('digest="abcdef012345"')
  })

  it.each([
    [{ shadow: false }, 'scores'],
    [{ shadow: true }, 'shadow'],
    [{ shadow: false, canary: 5 }, 'canary'],
  ])('take %j as a part: %s', (part, label) => {
    expect(partLabel(part)).toBe(label)
  })
})

describe('media in metrics', () => {
  it('count gateways by outcome, fetches by origin, and bytes received', async () => {
    const { media, series } = counted()
    media({ type: 'gateway', gateway: 'g:1', outcome: 'cancelled' })
    media({ type: 'cache', outcome: 'hit', bytes: 100 })
    media({ type: 'cache', outcome: 'evicted', bytes: 1000 })
    media({ type: 'fetched', scheme: 'ipfs', bytes: 50, ms: 2500 })
    expect(await series(/^attestd_gateway_requests_total\{.* [1-9]/)).toEqual([
      'attestd_gateway_requests_total{gateway="g:1",outcome="cancelled"} 1',
    ])
    const bytes = (await series(/^attestd_media_bytes_total\{.* [1-9]/)).toSorted()
    expect(bytes).toEqual([
      'attestd_media_bytes_total{origin="cache"} 100',
      'attestd_media_bytes_total{origin="ipfs"} 50',
    ])
    expect((await series(/^attestd_media_fetches_total\{.* [1-9]/)).toSorted()).toEqual([
      'attestd_media_fetches_total{origin="cache",outcome="evicted"} 1',
      'attestd_media_fetches_total{origin="cache",outcome="hit"} 1',
      'attestd_media_fetches_total{origin="ipfs",outcome="ok"} 1',
    ])
    expect(await series(/^attestd_media_fetch_seconds_sum/)).toEqual([
      'attestd_media_fetch_seconds_sum{origin="ipfs"} 2.5',
    ])
  })

  it('show fetches in progress and postponed ones', async () => {
    const { media, series } = counted()
    media({ type: 'pool', first: 5, later: 2, connections: 9 })
    media({ type: 'pool', first: 4, later: 2, connections: 8 })
    media({ type: 'put-off', scheme: 'ipfs', reason: 'media-too-slow' })
    media({ type: 'put-off', scheme: 'https', reason: 'media-busy' })
    expect(await series(/^attestd_media_fetching\{/)).toEqual([
      'attestd_media_fetching{state="first"} 4',
      'attestd_media_fetching{state="later"} 2',
      'attestd_media_fetching{state="connections"} 8',
    ])
    expect((await series(/^attestd_media_fetches_total\{.* [1-9]/)).toSorted()).toEqual([
      'attestd_media_fetches_total{origin="https",outcome="busy"} 1',
      'attestd_media_fetches_total{origin="ipfs",outcome="too-slow"} 1',
    ])
  })
})
