import { describe, expect, it } from 'vitest'
import { AttestdError } from '../../src/core/errors.js'
import { type Log, silentLog } from '../../src/core/log.js'
import { CHECK_MS, SAMPLES, ServiceClock, statedOrLocal } from '../../src/service/service-clock.js'
import { KeptLog } from '../support/kept-log.js'
import { ManualClock, settle } from '../support/manual-clock.js'

const HOUR = 3_600_000
const REFRESH_MS = 300_000

/** A service whose clock is `offset` ahead of the true time at the start, asked over a line with these delays. */
class Line {
  readonly clock = new ManualClock()
  readonly service: ServiceClock
  reads = 0
  /** What each next read does; the last one stays. */
  script: ({ out: number; back: number } | Error)[] = [{ out: 0, back: 0 }]
  readonly #granularityMs: number
  /** Service time minus monotonic time. */
  #base: number

  constructor({
    offset = 0,
    windowMs = 30_000,
    granularityMs = 0,
    script = [{ out: 0, back: 0 }] as Line['script'],
    dateWithinMs = undefined as number | undefined,
    log = silentLog as Log,
  } = {}) {
    this.script = script
    this.#granularityMs = granularityMs
    this.#base = this.clock.now() - this.clock.monotonic() + offset
    this.service = new ServiceClock({
      readTime: () => this.#read(),
      clock: this.clock,
      log,
      windowMs,
      refreshMs: REFRESH_MS,
      granularityMs,
      dateWithinMs,
    })
  }

  truth(): number {
    return this.clock.monotonic() + this.#base
  }

  /** Moves the service's clock. */
  jump(ms: number): void {
    this.#base += ms
  }

  async #read(): Promise<number> {
    this.reads++
    const way = this.script.length > 1 ? this.script.shift()! : this.script[0]!
    await settle()
    if (way instanceof Error) throw way
    this.clock.tick(way.out)
    const step = this.#granularityMs || 1
    const time = Math.floor(this.truth() / step) * step
    this.clock.tick(way.back)
    return time
  }
}

it('an unreachable service is logged once a minute', async () => {
  const log = new KeptLog()
  const line = new Line({ script: [new AttestdError('service-unreachable', 'gone')], log })
  for (let nth = 0; nth < 10; nth++) {
    await expect(line.service.refresh()).rejects.toThrow('gone')
    line.clock.tick(7000)
  }
  expect(log.messages).toEqual(Array(2).fill('service time could not be read'))
  expect(log.lines[1]).toMatchObject({ suppressed: 8 })
})

describe('the estimate', () => {
  const rows = [
    { name: 'no delay', offset: 0, script: [{ out: 0, back: 0 }], bound: 1, error: 0 },
    { name: 'an hour ahead', offset: HOUR, script: [{ out: 10, back: 10 }], bound: 11, error: 0 },
    { name: 'an hour behind', offset: -HOUR, script: [{ out: 10, back: 10 }], bound: 11, error: 0 },
    { name: 'a lopsided way', offset: 5_000, script: [{ out: 100, back: 0 }], bound: 51, error: 50 },
    {
      name: 'the smallest round trip wins',
      offset: 7_000,
      script: [
        { out: 900, back: 10 },
        { out: 5, back: 300 },
        { out: 6, back: 4 },
        { out: 80, back: 80 },
      ],
      bound: 6,
      error: 1,
    },
  ]
  it.each(rows)('$name', async ({ offset, script, bound, error }) => {
    const line = new Line({ offset, script: [...script] })
    await line.service.ready()
    expect(line.reads).toBe(SAMPLES)
    const state = line.service.state()
    expect(state.trusted).toBe(true)
    expect(state.errorBoundMs).toBeGreaterThanOrEqual(bound)
    expect(state.errorBoundMs).toBeLessThanOrEqual(bound + 1)
    expect(Math.abs(line.service.now() - line.truth())).toBeLessThanOrEqual(error + 1)
    expect(Math.abs(line.service.now() - line.truth())).toBeLessThanOrEqual(state.errorBoundMs!)
  })

  it.each([0, 1, 777, 1_000, 1_999])(
    'keeps its bound where time moves in steps of 2 s, %d ms into one',
    async (into) => {
      const line = new Line({ granularityMs: 2_000, script: [{ out: 10, back: 10 }] })
      line.clock.tick(into)
      await line.service.ready()
      const { errorBoundMs, trusted } = line.service.state()
      expect(trusted).toBe(true)
      // Half a step, half the round trip, a millisecond, and the drift since.
      expect(errorBoundMs).toBe(1_012)
      expect(Math.abs(line.service.now() - line.truth())).toBeLessThanOrEqual(errorBoundMs!)
    },
  )

  it('is not trusted where half a step takes half of the window', async () => {
    const line = new Line({ granularityMs: 2_000, windowMs: 2_000 })
    await expect(line.service.ready()).rejects.toMatchObject({ reason: 'clock-untrusted' })
  })

  it('does not exist before the first sample', () => {
    const line = new Line()
    expect(line.service.state()).toEqual({ offsetMs: null, errorBoundMs: null, trusted: false })
    expect(() => line.service.now()).toThrow(expect.objectContaining({ reason: 'clock-untrusted' }))
  })

  it('is not trusted when the bound takes half of the window, and reports it', async () => {
    const line = new Line({ windowMs: 1_000, script: [{ out: 600, back: 600 }] })
    const error = await line.service.ready().catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ reason: 'clock-untrusted', kind: 'wait' })
    expect(line.service.state().trusted).toBe(false)
    line.script = [{ out: 5, back: 5 }]
    await line.service.ready()
    expect(line.service.state().trusted).toBe(true)
  })

  it('loses precision with time by the drift allowance', async () => {
    const line = new Line()
    await line.service.ready()
    line.clock.tick(HOUR)
    expect(line.service.state().errorBoundMs).toBe(1 + (HOUR * 200) / 1e6)
  })

  it('keeps a tight estimate over a loose one that agrees, and drops it for one that does not', async () => {
    const line = new Line({ offset: 3_000, script: [{ out: 2, back: 2 }] })
    await line.service.refresh()
    line.script = [{ out: 4_000, back: 10 }]
    await line.service.refresh()
    expect(line.service.now()).toBe(line.truth())
    line.jump(60_000)
    await line.service.refresh()
    expect(Math.abs(line.service.now() - line.truth())).toBeLessThanOrEqual(line.service.state().errorBoundMs!)
    expect(line.service.state().errorBoundMs).toBeGreaterThan(2_000)
  })
})

describe('a failed reading', () => {
  it('asks only once, and passes on why the service is unreachable and how long to wait', async () => {
    const cause = new AttestdError('service-rate-limited', 'slow down', { retryAfterMs: 9_000, ambiguous: true })
    const line = new Line({ script: [cause] })
    await expect(line.service.ready()).rejects.toMatchObject({
      reason: 'service-rate-limited',
      retryAfterMs: 9_000,
      ambiguous: false,
      cause,
    })
    expect(line.reads).toBe(1)
  })

  it('names the outage also where an older sample has become too imprecise', async () => {
    const line = new Line({ windowMs: 1_000, script: [{ out: 1, back: 1 }] })
    await line.service.ready()
    line.clock.tick(HOUR)
    line.script = [new AttestdError('service-unreachable', 'refused')]
    await expect(line.service.ready()).rejects.toMatchObject({ reason: 'service-unreachable' })
  })

  it('by a website in place of the service is named as such, with its fix and without the texts below it', async () => {
    const below = new Error('SSL routines')
    const cause = new AttestdError('service-reply-invalid', 'text/html', { fix: 'Check the URL.', cause: below })
    await expect(new Line({ script: [cause] }).service.ready()).rejects.toMatchObject({
      reason: 'service-reply-invalid',
      message: 'Service time could not be read: text/html',
      fix: 'Check the URL.',
    })
  })

  it('states why there is no session, where the time route needs one', async () => {
    const line = new Line({ script: [new AttestdError('challenge-untrusted', 'no')] })
    await expect(line.service.ready()).rejects.toMatchObject({ reason: 'challenge-untrusted' })
  })

  it('names a redirect, as of a captive portal, which all routes are answered with', async () => {
    const line = new Line({ script: [new AttestdError('service-redirected')] })
    await expect(line.service.ready()).rejects.toMatchObject({ reason: 'service-redirected' })
  })

  it('by service-forbidden is clock-untrusted: it says nothing about the request to be signed', async () => {
    const cause = new AttestdError('service-forbidden')
    const line = new Line({ script: [cause] })
    await expect(line.service.ready()).rejects.toMatchObject({ reason: 'clock-untrusted', kind: 'wait', cause })
  })

  it('is over after one good sample', async () => {
    const line = new Line({ offset: HOUR, script: [{ out: 20, back: 20 }, new Error('cut')] })
    await line.service.ready()
    expect(line.reads).toBe(2)
    expect(line.service.now()).toBe(line.truth())
  })

  it('is not remembered', async () => {
    const line = new Line({ script: [new Error('down'), { out: 1, back: 1 }] })
    await expect(line.service.ready()).rejects.toThrow('down')
    await line.service.ready()
    expect(line.service.state().trusted).toBe(true)
  })
})

describe('refreshes', () => {
  it('share their samples when simultaneous, and an abort of one caller does not cancel them for others', async () => {
    const line = new Line()
    const stop = new AbortController()
    const callers = [line.service.refresh(), line.service.ready(), line.service.refresh({ signal: stop.signal })]
    stop.abort(new Error('enough'))
    const ends = await Promise.allSettled(callers)
    expect(ends.map((end) => end.status)).toEqual(['fulfilled', 'fulfilled', 'rejected'])
    expect(line.reads).toBe(SAMPLES)
  })

  it('are skipped when the last one is recent', async () => {
    const line = new Line()
    await line.service.refresh()
    await line.service.refresh({ maxAgeMs: 1_000 })
    expect(line.reads).toBe(SAMPLES)
    line.clock.tick(1_001)
    await line.service.refresh({ maxAgeMs: 1_000 })
    expect(line.reads).toBe(2 * SAMPLES)
  })

  it('report how far an earlier timestamp was off', async () => {
    const line = new Line()
    await line.service.refresh()
    const stamp = line.service.stamp()
    expect(line.service.errorOf(stamp)).toBeLessThan(1)
    line.jump(45_000)
    line.clock.tick(2_000)
    await line.service.refresh()
    expect(line.service.errorOf(stamp)).toBeCloseTo(45_000, -1)
  })

  it('run periodically: when the estimate is old, and after failures', async () => {
    const line = new Line()
    const stop = new AbortController()
    const run = line.service.run(stop.signal)
    await until(() => line.service.state().trusted)
    expect(line.reads).toBe(SAMPLES)
    line.script = [new Error('down')]
    await line.clock.advance(REFRESH_MS + CHECK_MS)
    await line.clock.advance(CHECK_MS)
    expect(line.reads).toBeGreaterThan(SAMPLES)
    expect(line.service.state().trusted).toBe(true)
    line.script = [{ out: 0, back: 0 }]
    line.jump(HOUR)
    await line.clock.advance(2 * CHECK_MS)
    await until(() => line.service.now() === line.truth())
    stop.abort()
    await run
    expect(line.clock.sleeping).toBe(0)
  })
})

describe('a step of the local clock', () => {
  it('does not move service time, but makes it untrusted until it was read again', async () => {
    const line = new Line({ offset: HOUR })
    await line.service.ready()
    line.clock.stepWall(20 * 60_000)
    expect(line.service.now()).toBe(line.truth())
    expect(line.service.state().trusted).toBe(false)
    await line.service.ready()
    expect(line.reads).toBe(2 * SAMPLES)
    expect(line.service.state()).toMatchObject({ trusted: true, offsetMs: HOUR - 20 * 60_000 })
  })

  it('that is small is corrected without the caller', async () => {
    const line = new Line()
    await line.service.ready()
    line.clock.tick(CHECK_MS)
    line.clock.stepWall(-1_000)
    expect(line.service.state().trusted).toBe(true)
    await line.service.ready()
    await until(() => line.reads === 2 * SAMPLES)
    await until(() => line.service.state().errorBoundMs! < 10)
  })

  it('of a suspend is corrected before the next signature', async () => {
    const line = new Line()
    await line.service.ready()
    // Asleep for ten minutes: the monotonic clock stood still, the wall clock and the service went on.
    line.clock.stepWall(600_000)
    line.jump(600_000)
    await line.service.ready()
    expect(line.service.now()).toBe(line.truth())
  })

  it('in the middle of a sample counts as its error', async () => {
    const line = new Line({ script: [{ out: 1, back: 1 }] })
    const read = line.service.refresh()
    line.clock.stepWall(90_000)
    await read
    // Four clean samples followed the spoiled one.
    expect(line.service.state().errorBoundMs).toBeLessThan(10)
  })
})

describe('the Date of answers', () => {
  const dated = { dateWithinMs: 120_000 }

  it('gives a time before the estimate, and null is returned before both', async () => {
    const line = new Line({ offset: HOUR })
    expect(line.service.stated()).toBeNull()
    await line.service.ready()
    expect(line.service.stated()).toEqual({ ms: line.truth(), by: 'service time' })
    line.service.sawDate(line.truth() - 1_000)
    line.clock.tick(5_000)
    expect(line.service.stated()).toEqual({ ms: line.truth() - 1_000, by: 'the Date header of the service' })
  })

  it('is local time for deadlines where the service stated none', async () => {
    const line = new Line({ offset: HOUR })
    expect(statedOrLocal(undefined, line.clock)).toBe(line.clock.now())
    expect(statedOrLocal(line.service, line.clock)).toBe(line.clock.now())
    await line.service.ready()
    expect(statedOrLocal(line.service, line.clock)).toBe(line.truth())
  })

  it('and the estimate give no time after a step of the local clock or a suspend', async () => {
    const line = new Line()
    await line.service.ready()
    line.service.sawDate(line.truth())
    line.clock.stepWall(1_000)
    expect(line.service.stated()).toBeNull()
  })

  it('that contradicts service time makes it untrusted, and log and error name both', async () => {
    const log = new KeptLog()
    const line = new Line({ offset: HOUR, ...dated, log })
    line.service.sawDate(line.truth() + 121_000)
    const words = 'service time is 121 s behind the Date header of the service'
    await expect(line.service.ready()).rejects.toMatchObject({
      reason: 'clock-untrusted',
      message: `The service contradicts itself: ${words}.`,
    })
    expect(line.service.state()).toMatchObject({ trusted: false, objection: words })
    line.service.sawDate(line.truth() - 120_000)
    expect(line.service.state()).toMatchObject({ trusted: true, objection: undefined })
    await line.service.refresh()
    expect(log.messages.filter((message) => /^service (?!time was estimated)/.test(message))).toEqual([
      'service contradicted its own time; submission was paused',
      'service agreed with its own time again',
    ])
  })

  it('of a service with a meaningless Date contradicts nothing', async () => {
    const line = new Line()
    line.service.sawDate(line.truth() + HOUR)
    await line.service.ready()
    expect(line.service.state().trusted).toBe(true)
  })
})

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await settle()
}
