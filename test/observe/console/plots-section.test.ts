import { describe, expect, it } from 'vitest'
import { riskOfPercent } from '../../../src/core/risk.js'
import { HISTORY_EVERY_MS } from '../../../src/fleet/history.js'
import { documentOf } from '../../../src/observe/console/history-document.js'
import { plotsSection } from '../../../src/observe/console/plots-section.js'
import { EMPTY, FULL } from './history-points.js'
import { visibleText } from './visible-text.js'

describe('plotsSection', () => {
  it('shows the last value of each series next to its plot, and a dash for a gap', () => {
    const text = visibleText(plotsSection(documentOf([EMPTY, FULL])))
    expect(text).toContain('Throughput (1-minute average) analyze 1.23 submit 0 jobs/s')
    expect(text).toContain('Median risk by detector image@1 40.13 %')
    expect(text).toContain('A point covers 10 s; the number next to a name is the last point.')
    expect(visibleText(plotsSection(documentOf([FULL, EMPTY])))).toContain('Waiting analyze – submit – jobs')
    expect(visibleText(plotsSection(documentOf([])))).toContain('Waiting analyze – submit – jobs')
  })

  it('states the hour as a table, newest first, a row every five minutes', () => {
    const points = Array.from({ length: 61 }, (_, nth) => ({ ...FULL, at: nth * HISTORY_EVERY_MS }))
    const page = plotsSection(documentOf(points)).text
    const times = [...page.matchAll(/<th scope="row">([\d:]+)<\/th>/g)].map(([, time]) => time)
    expect(times).toEqual(['00:10:00', '00:05:00', '00:00:00'])
    expect([...page.matchAll(/<td class="num">/g)]).toHaveLength(3 * 8)
    expect(visibleText(page)).toContain('Open to accepted: median (s)')
  })

  it('shows since when this daemon records, until that is an hour', () => {
    const points = (count: number) =>
      Array.from({ length: count }, (_, nth) => ({ ...FULL, at: (nth + 1) * HISTORY_EVERY_MS }))
    const text = (count: number) => visibleText(plotsSection(documentOf(points(count))))
    expect(text(7)).toContain('Recorded by this daemon since 00:00 UTC.')
    expect(text(360)).not.toContain('Recorded by')
    expect(text(0)).not.toContain('Recorded by')
  })

  it('uses the six colors in turn', () => {
    const risks = Object.fromEntries(Array.from({ length: 8 }, (_, nth) => [`d${nth}`, riskOfPercent(nth)]))
    const keys = [...plotsSection(documentOf([{ ...FULL, risks }])).text.matchAll(/class="key (k\d)">d\d/g)]
    expect(keys.map(([, color]) => color)).toEqual(['k0', 'k1', 'k2', 'k3', 'k4', 'k5', 'k0', 'k1'])
  })
})
