import { describe, expect, it } from 'vitest'
import { Activity, RECENT_ROWS } from '../../../src/app/daemon/activity.js'
import type { RecentRow } from '../../../src/fleet/recent-rows.js'
import type { ServiceEvent } from '../../../src/service/port.js'
import { recentRow } from '../../support/fleet-cards.js'
import { ManualClock } from '../../support/manual-clock.js'

const row = (assetId: string, outcome: RecentRow['outcome'] = 'accepted') => recentRow({ assetId, outcome })

function newActivity() {
  const clock = new ManualClock()
  return { clock, activity: new Activity(() => clock.monotonic()) }
}

describe('recent activity', () => {
  it('lists the newest first; a verdict is replaced by the outcome of its asset', () => {
    const { activity } = newActivity()
    for (const one of [row('a', 'verdict'), row('b', 'verdict'), row('a', 'accepted')]) activity.addRow(one)
    expect(activity.recent.map(({ assetId, outcome }) => [assetId, outcome])).toEqual([
      ['a', 'accepted'],
      ['b', 'verdict'],
    ])
  })

  it('keeps earlier outcomes of the same asset', () => {
    const { activity } = newActivity()
    for (const one of [row('a', 'failed'), row('a', 'verdict'), row('a', 'accepted')]) activity.addRow(one)
    expect(activity.recent.map(({ outcome }) => outcome)).toEqual(['accepted', 'failed'])
  })

  it('keeps a limited number of rows', () => {
    const { activity } = newActivity()
    for (let nth = 0; nth <= RECENT_ROWS; nth++) activity.addRow(row(`a${nth}`))
    expect(activity.recent).toHaveLength(RECENT_ROWS)
    expect(activity.recent.at(-1)?.assetId).toBe('a1')
  })

  it('passes rows on, one by one, once there is a subscriber', () => {
    const { activity } = newActivity()
    const shared: string[] = []
    activity.addRow(row('before'))
    activity.shareRows(({ assetId }) => void shared.push(assetId))
    activity.addRow(row('a'))
    activity.addRow(row('b'))
    expect(shared).toEqual(['a', 'b'])
  })
})

describe('the event stream', () => {
  const trouble = (retryInMs?: number) =>
    ({ kind: 'trouble', reason: 'stream-silent', message: '', retryInMs }) as ServiceEvent
  const news = { kind: 'alive' } as unknown as ServiceEvent

  it('is disconnected before its first message', () => {
    expect(newActivity().activity.stream()).toEqual({ connected: false, lastByteAgeMs: null, reconnects: 0 })
  })

  it('is connected after any message, and ages until the next', () => {
    const { activity, clock } = newActivity()
    activity.streamEvent(news)
    clock.tick(1500)
    expect(activity.stream()).toEqual({ connected: true, lastByteAgeMs: 1500, reconnects: 0 })
    activity.streamEvent(news)
    expect(activity.stream().lastByteAgeMs).toBe(0)
  })

  it('counts a loss once, with its reason, until it reconnects', () => {
    const { activity } = newActivity()
    activity.streamEvent(news)
    activity.streamEvent(trouble(100))
    activity.streamEvent(trouble(200))
    expect(activity.stream()).toMatchObject({ connected: false, reconnects: 1 })
    expect(activity.streamLost).toBe('stream-silent')
    activity.streamEvent(news)
    activity.streamEvent(trouble(100))
    expect(activity.stream().reconnects).toBe(2)
  })

  it('continues after a malformed event, and is not silent', () => {
    const { activity, clock } = newActivity()
    activity.streamEvent(news)
    clock.tick(1500)
    activity.streamEvent(trouble())
    expect(activity.stream()).toEqual({ connected: true, lastByteAgeMs: 0, reconnects: 0 })
    expect(activity.streamLost).toBe('stream-ended')
  })
})
