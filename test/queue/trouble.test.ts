import { expect, it } from 'vitest'
import { AttestdError } from '../../src/core/errors.js'
import { silentLog } from '../../src/core/log.js'
import { TroubleReporter } from '../../src/queue/trouble.js'
import { ManualClock } from '../support/manual-clock.js'
import { EventLog } from './queue-support.js'

it('writes one line for one outage, whoever meets it, and how many it held back', async () => {
  const clock = new ManualClock()
  const lines: unknown[] = []
  const reporter = new TroubleReporter(clock, { ...silentLog, warn: (facts) => lines.push(facts) })
  const events = new EventLog()
  const end = reporter.listen(events)
  const down = new AttestdError('queue-unreachable', 'refused')

  for (let i = 0; i < 5; i++) reporter.report(null, down)
  reporter.report('submit', down)
  reporter.report(null, new AttestdError('internal-error', 'other'))
  expect(lines).toEqual([
    { reason: 'queue-unreachable', queue: null, detail: 'refused' },
    { reason: 'internal-error', queue: null, detail: 'other' },
  ])

  await clock.advance(60_000)
  reporter.report(null, down)
  expect(lines.at(-1)).toMatchObject({ reason: 'queue-unreachable', detail: 'refused', suppressed: 5 })
  end()
  await clock.advance(60_000)
  reporter.report(null, down)
  // Those who listen hear of every one, since each may have cost jobs.
  expect(events.of('trouble')).toHaveLength(8)
})
