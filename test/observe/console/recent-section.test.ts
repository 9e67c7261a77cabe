import { describe, expect, it } from 'vitest'
import { riskOfPercent } from '../../../src/core/risk.js'
import { jobIdOf } from '../../../src/core/text.js'
import type { RecentRow } from '../../../src/fleet/recent-rows.js'
import { recentSection } from '../../../src/observe/console/recent-section.js'
import { statusDocument } from '../../../src/observe/console/status-document.js'
import { NOW, sampleState } from '../console-parts.js'
import { textsOfClass, visibleText } from './visible-text.js'

const ROW: RecentRow = {
  at: NOW - 65_000,
  assetId: 'asset-1',
  title: 'A photo',
  mediaType: 'image',
  outcome: 'accepted',
  risk: riskOfPercent(99.96),
  algorithm: 'image@1.0.0',
  scoreId: 'score-1',
  openToRecordMs: 4200,
  reason: null,
}
const ALL = { outcome: '', text: '' } as const
const FLEET = sampleState().fleet!
const there = { ...FLEET.daemons[0]!, name: 'there:2', commandFlags: ['--config', '/etc/b.yaml'] }
const fleet = { ...FLEET, daemons: [there] }
const state = (...recent: RecentRow[]) => ({ commandFlags: ['--config', 'a.yaml'], fleet, name: 'here:1', recent })
const shown = (row: Partial<RecentRow>) => recentSection(state({ ...ROW, ...row }), ALL, NOW)

describe('a row of the last assets', () => {
  it('shows time, asset, risk, detector and duration', () => {
    const text = visibleText(shown({}))
    for (const part of ['1 min 5 s ago', 'A photo asset-1', 'accepted', '100.0', 'image@1.0.0', '4.2 s', 'score-1'])
      expect(text).toContain(part)
  })

  it('has dashes for missing values, and no replay without a verdict', () => {
    const text = visibleText(shown({ risk: null, algorithm: null, scoreId: null, openToRecordMs: null, title: '' }))
    expect(text).toMatch(/\(no title\) asset-1 image accepted – – – – job$/)
  })

  it.each([
    ['verdict', 'analyze-image'],
    ['accepted', 'submit'],
    ['confirmed', 'submit'],
    ['foreign', 'submit'],
    ['abstained', 'analyze-image'],
    ['closed', 'submit'],
    ['failed', 'analyze-image'],
  ] as const)('of outcome %s links to the job in the queue %s', (outcome, queue) => {
    expect(shown({ outcome }).text).toContain(`href="/queues/queue/${queue}/${jobIdOf('asset-1')}"`)
  })

  it('links to the queue that it names', () => {
    expect(shown({ outcome: 'failed', queue: 'submit' }).text).toContain('href="/queues/queue/submit/')
  })

  it.each([
    ['abstained', 'warn'],
    ['failed', 'bad'],
    ['closed', 'soft'],
  ] as const)('of outcome %s shows its reason in the tone %s, and its message', (outcome, tone) => {
    const section = shown({ outcome, reason: 'media-too-small', message: 'It is 8 px wide.' })
    expect(textsOfClass(section, tone)).toContain('media-too-small')
    expect(visibleText(section)).toContain('media-too-small It is 8 px wide.')
  })

  it('replays with the flags of its daemon, and names that daemon where it is another', () => {
    const replay = (daemon?: string) => /replay <?.*?(npx .*?)$/.exec(visibleText(shown({ daemon })))?.[1]
    expect(replay()).toBe('npx attestd replay --config a.yaml asset-1')
    expect(replay('here:1')).toBe('npx attestd replay --config a.yaml asset-1')
    expect(replay('there:2')).toBe('npx attestd replay --config /etc/b.yaml asset-1 on there:2')
    expect(replay('gone:4')).toBe('npx attestd replay asset-1 on gone:4')
  })
})

describe('the last assets', () => {
  const rows = Array.from({ length: 60 }, (_, nth) => ({ ...ROW, assetId: `asset-${nth}` }))

  it('shows fifty and counts all matches', () => {
    const section = recentSection(state(...rows), ALL, NOW)
    expect(visibleText(section)).toContain('50 of 60 shown.')
    expect(section.text).toContain('>asset-49<')
    expect(section.text).not.toContain('>asset-50<')
  })

  it('searches all rows, not only the shown ones', () => {
    expect(visibleText(recentSection(state(...rows), { outcome: '', text: 'asset-59' }, NOW))).toContain(
      '1 of 1 shown.',
    )
  })

  it('distinguishes no rows from no matches', () => {
    expect(visibleText(recentSection(state(), ALL, NOW))).toContain('Nothing yet.')
    expect(visibleText(recentSection(state(), { outcome: 'failed', text: '' }, NOW))).toContain('Nothing yet.')
    expect(visibleText(recentSection(state(ROW), { outcome: 'failed', text: '' }, NOW))).toContain(
      'None of the last 1 matches.',
    )
  })

  it('keeps the filter in the form, and offers to show all only then', () => {
    const asked = recentSection(state(ROW), { outcome: 'accepted', text: '"quoted"' }, NOW).text
    expect(asked.match(/<option value="\w+" selected>/g)).toEqual(['<option value="accepted" selected>'])
    expect(asked).toContain('value="&quot;quoted&quot;"')
    expect(asked).toContain('Show all')
    for (const filter of [{ outcome: 'accepted', text: '' } as const, { outcome: '', text: 'photo' } as const])
      expect(recentSection(state(ROW), filter, NOW).text).toContain('Show all')
    const plain = recentSection(state(ROW), ALL, NOW).text
    expect(plain).not.toContain(' selected')
    expect(plain).not.toContain('Show all')
  })

  it('are fifty in /status too, with risks in percent', () => {
    const { recent } = statusDocument({ ...sampleState(), recent: [...rows, ROW] })
    expect(recent).toHaveLength(50)
    expect(recent[0]?.risk).toBeCloseTo(99.96, 10)
    expect(statusDocument({ ...sampleState(), recent: [{ ...ROW, risk: null }] }).recent[0]?.risk).toBeNull()
  })
})
