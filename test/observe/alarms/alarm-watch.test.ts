import { expect, it } from 'vitest'
import { AttestdError } from '../../../src/core/errors.js'
import type { Reason } from '../../../src/core/reasons.js'
import type { Alarm } from '../../../src/observe/alarms/alarm.js'
import { AlarmWatch } from '../../../src/observe/alarms/alarm-watch.js'
import { ManualClock } from '../../support/manual-clock.js'

const EVERY_MS = 600_000

/** A watch that looks once a second, and what it sent as `alarm state`. */
function watched(everyMs = EVERY_MS) {
  const clock = new ManualClock()
  const alarms: Alarm[] = []
  const webhook = { send: (alarm: Alarm) => void alarms.push(alarm), flush: async () => {} }
  const watch = new AlarmWatch({ clock, machine: 'm', everyMs, webhook })
  const look = (seconds: number, ...reasons: Reason[]) => {
    for (let second = 0; second < seconds; second++) {
      clock.tick(1000)
      const checks = reasons.map((reason) => ({ name: reason, ok: false, reason, message: `why ${reason}` }))
      watch.look({ ready: false, checks })
    }
  }
  const sent = () => alarms.map(({ alarm, state }) => `${alarm} ${state}`)
  return { alarms, look, sent, watch }
}

it('sends a lasting alarm once, and once that it is over', () => {
  const { alarms, look, sent } = watched()
  look(9, 'stake-low')
  expect(sent()).toEqual([])
  look(300, 'stake-low')
  expect(alarms).toMatchObject([{ alarm: 'stake-low', state: 'firing', summary: 'why stake-low', machine: 'm' }])
  look(700)
  expect(sent()).toEqual(['stake-low firing', 'stake-low resolved'])
})

it('sends nothing for a short failure, and nothing that needs no person', () => {
  const { look, sent } = watched()
  look(5, 'workers-missing')
  look(5)
  look(5, 'workers-missing')
  look(5)
  look(100, 'stream-silent', 'stake-unknown', 'queue-paused')
  expect(sent()).toEqual([])
})

it('sends an alarm for what stops all scores once it lasts longer than a restart or a failover', () => {
  const { look, sent } = watched()
  look(119, 'queue-unreachable', 'disk-full')
  look(5, 'disk-full')
  expect(sent()).toEqual(['disk-full firing'])
  look(121, 'queue-unreachable')
  expect(sent()).toEqual(['disk-full firing', 'queue-unreachable firing'])
  look(700)
  expect(sent().slice(2)).toEqual(['disk-full resolved', 'queue-unreachable resolved'])
})

it('sends an intermittent alarm at most once in the time, with its current state', () => {
  const { look, sent } = watched()
  for (let turn = 0; turn < 10; turn++) {
    look(20, 'doppelganger')
    look(20)
  }
  expect(sent()).toEqual(['doppelganger firing'])
  look(300)
  expect(sent()).toEqual(['doppelganger firing', 'doppelganger resolved'])
})

it('keeps alarms separate, whether a check fails or warns', () => {
  const { look, sent } = watched()
  look(11, 'doppelganger', 'workers-missing', 'role-missing', 'service-unauthorized')
  const reasons = ['doppelganger', 'service-unauthorized', 'role-missing', 'workers-missing']
  expect(sent()).toEqual(reasons.map((reason) => `${reason} firing`))
})

it('counts missed deadlines until the next message', () => {
  const { alarms, look, watch } = watched()
  watch.missed()
  look(1)
  watch.missed()
  watch.missed()
  look(500)
  expect(alarms.map(({ summary }) => summary)).toEqual(['1 assets got their score too late, or none.'])
  look(101)
  expect(alarms.map(({ summary }) => summary)).toEqual([
    '1 assets got their score too late, or none.',
    '2 assets got their score too late, or none.',
  ])
})

it('sends at once the reason why the process ends, unless it was sent', async () => {
  const { look, sent, watch } = watched()
  await watch.ending(new AttestdError('queue-unreachable', 'no alarm of ours'))
  await watch.ending(new AttestdError('role-missing', 'The wallet is no attester.'))
  expect(sent()).toEqual(['role-missing firing'])
  look(20, 'stake-low')
  await watch.ending(new AttestdError('stake-low', 'again'))
  expect(sent()).toEqual(['role-missing firing', 'stake-low firing'])
})
