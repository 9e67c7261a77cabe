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

describe('what happened lately', () => {
  it('is newest first; a verdict makes room for what became of its asset', () => {
    const { activity } = newActivity()
    for (const one of [row('a', 'verdict'), row('b', 'verdict'), row('a', 'accepted')]) activity.addRow(one)
    expect(activity.recent.map(({ assetId, outcome }) => [assetId, outcome])).toEqual([
      ['a', 'accepted'],
      ['b', 'verdict'],
    ])
  })

  it('keeps earlier ends of the same asset', () => {
    const { activity } = newActivity()
    for (const one of [row('a', 'failed'), row('a', 'verdict'), row('a', 'accepted')]) activity.addRow(one)
    expect(activity.recent.map(({ outcome }) => outcome)).toEqual(['accepted', 'failed'])
  })

  it('is so many rows and no more', () => {
    const { activity } = newActivity()
    for (let nth = 0; nth <= RECENT_ROWS; nth++) activity.addRow(row(`a${nth}`))
    expect(activity.recent).toHaveLength(RECENT_ROWS)
    expect(activity.recent.at(-1)?.assetId).toBe('a1')
  })

  it('is passed on once somebody wants it, row by row', () => {
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

  it('is not connected before it said anything', () => {
    expect(newActivity().activity.stream()).toEqual({ connected: false, lastByteAgeMs: null, reconnects: 0 })
  })

  it('is connected by any word of it, and ages until the next', () => {
    const { activity, clock } = newActivity()
    activity.streamEvent(news)
    clock.tick(1500)
    expect(activity.stream()).toEqual({ connected: true, lastByteAgeMs: 1500, reconnects: 0 })
    activity.streamEvent(news)
    expect(activity.stream().lastByteAgeMs).toBe(0)
  })

  it('that is lost counts once, with its reason, until it is back', () => {
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

  it('with a malformed event goes on, and is not silent', () => {
    const { activity, clock } = newActivity()
    activity.streamEvent(news)
    clock.tick(1500)
    activity.streamEvent(trouble())
    expect(activity.stream()).toEqual({ connected: true, lastByteAgeMs: 0, reconnects: 0 })
    expect(activity.streamLost).toBe('stream-ended')
  })
})
