import { describe, expect, it } from 'vitest'
import { GatewayHealth, type GatewayOutcome } from '../../../src/media/ipfs/gateway-health.js'
import { ManualClock } from '../../support/manual-clock.js'

const MINUTE = 60_000

type Step =
  | { report: [gateway: string, outcome: GatewayOutcome, retryAfterMs?: number] }
  | { wait: number }
  | { order: string }

/** Jitter at its longest: the stated back-off is the real one. */
const noJitter = () => 1 - Number.EPSILON

describe('GatewayHealth', () => {
  const tables: [name: string, steps: Step[]][] = [
    ['keeps the configured order while all is well', [{ order: 'abc' }, { report: ['b', 'ok'] }, { order: 'abc' }]],
    [
      'sends a failing gateway to the back and brings it back in time',
      [{ report: ['a', 'failed'] }, { order: 'bca' }, { wait: 4_999 }, { order: 'bca' }, { wait: 2 }, { order: 'abc' }],
    ],
    [
      'sends it back for longer each time',
      [
        { report: ['a', 'timeout'] },
        { report: ['a', 'slow'] },
        { report: ['a', 'failed'] },
        { wait: 19_000 },
        { order: 'bca' },
        { wait: 1_001 },
        { order: 'abc' },
      ],
    ],
    [
      'never for more than five minutes',
      [
        ...Array.from({ length: 20 }, (): Step => ({ report: ['a', 'failed'] })),
        { wait: 5 * MINUTE - 1 },
        { order: 'bca' },
        { wait: 2 },
        { order: 'abc' },
      ],
    ],
    ['forgives failures after a success', [{ report: ['a', 'failed'] }, { report: ['a', 'ok'] }, { order: 'abc' }]],
    ['does not mind a missing file', [{ report: ['a', 'not-found'] }, { order: 'abc' }]],
    [
      'puts broken contents behind everything else, whatever works later',
      [
        { report: ['a', 'integrity'] },
        { report: ['b', 'failed'] },
        { order: 'cba' },
        { report: ['a', 'ok'] },
        { wait: 9 * MINUTE },
        { order: 'bca' },
        { wait: MINUTE + 1 },
        { order: 'abc' },
      ],
    ],
    [
      'leaves a gateway alone that asked for it, and no longer',
      [{ report: ['a', 'rate-limited', 20_000] }, { order: 'bc' }, { wait: 20_001 }, { order: 'abc' }],
    ],
    [
      'heeds Retry-After of other failures too, up to ten minutes',
      [
        { report: ['b', 'failed', 24 * 3_600_000] },
        { wait: 10 * MINUTE - 1 },
        { order: 'ac' },
        { wait: 2 },
        { order: 'abc' },
      ],
    ],
    [
      'waits half a minute after a bare 429',
      [{ report: ['c', 'rate-limited'] }, { wait: 29_000 }, { order: 'ab' }, { wait: 1_001 }, { order: 'abc' }],
    ],
    [
      'still offers gateways when all of them fail, the first to recover first',
      [
        { report: ['b', 'failed'] },
        { wait: 10 },
        { report: ['a', 'failed'] },
        { wait: 10 },
        { report: ['c', 'failed'] },
        { order: 'bac' },
      ],
    ],
  ]

  it.each(tables)('%s', async (_, steps) => {
    const clock = new ManualClock()
    const health = new GatewayHealth(['a', 'b', 'c'], clock, noJitter)
    for (const step of steps) {
      if ('report' in step) health.report(...step.report)
      else if ('wait' in step) await clock.advance(step.wait)
      else expect(health.order().join('')).toBe(step.order)
    }
  })

  it('reports once when a gateway becomes unhealthy', () => {
    const health = new GatewayHealth(['a'], new ManualClock(), noJitter)
    expect([health.report('a', 'failed'), health.report('a', 'failed')]).toEqual([true, false])
  })

  it('reports when the first gateway may be asked again', async () => {
    const clock = new ManualClock()
    const health = new GatewayHealth(['a', 'b'], clock, noJitter)
    expect(health.retryAfterMs()).toBeUndefined()
    health.report('a', 'rate-limited', 5_000)
    health.report('b', 'rate-limited', 3_000)
    await clock.advance(1_000)
    expect(health.retryAfterMs()).toBe(2_000)
  })
})
