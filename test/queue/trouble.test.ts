import { expect, it } from 'vitest'
import { AttestdError } from '../../src/core/errors.js'
import { silentLog } from '../../src/core/log.js'
import { TroubleReporter } from '../../src/queue/trouble.js'
import { ManualClock } from '../support/manual-clock.js'
import { EventLog } from './queue-support.js'

it('logs the same trouble once in a while, another kind at once, and how much it withheld', async () => {
  const clock = new ManualClock()
  const lines: unknown[] = []
  const reporter = new TroubleReporter(clock, { ...silentLog, warn: (facts) => lines.push(facts) })
  const events = new EventLog()
  const end = reporter.listen(events)
  const down = new AttestdError('queue-unreachable', 'refused')

  for (let i = 0; i < 5; i++) reporter.report(null, down)
  reporter.report('submit', down)
  reporter.report(null, new AttestdError('internal-error', 'other'))
  expect(lines.map((line) => (line as { reason: string }).reason)).toEqual([
    'queue-unreachable',
    'queue-unreachable',
    'internal-error',
  ])

  await clock.advance(30_000)
  reporter.report(null, down)
  expect(lines.at(-1)).toMatchObject({ reason: 'queue-unreachable', detail: 'refused', withheld: 4 })
  end()
  await clock.advance(30_000)
  reporter.report(null, down)
  // Those who listen hear of every one, since each may have cost jobs.
  expect(events.of('trouble')).toHaveLength(8)
})
