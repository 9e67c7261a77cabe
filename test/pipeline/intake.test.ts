import { describe, expect, it } from 'vitest'
import { AttestdError } from '../../src/core/errors.js'
import { silentLog } from '../../src/core/log.js'
import { asRisk } from '../../src/core/risk.js'
import { jobIdOf } from '../../src/core/text.js'
import { Intake } from '../../src/pipeline/intake.js'
import { jobAssetOf } from '../../src/pipeline/jobs.js'
import type { DroppedAnalysis } from '../../src/pipeline/pipeline-events.js'
import type { KnownJob } from '../../src/queue/queues.js'
import type { Asset, AttesterService, ServiceEvent, Stake } from '../../src/service/port.js'
import { ManualClock } from '../support/manual-clock.js'
import { openAsset, submitJobData } from '../support/pipeline-parts.js'

const stake: Stake = { stakedWei: 1n, minStakeWei: 1n }
const settle = () => new Promise((resolve) => setImmediate(resolve))

/** Intake over a service whose stream and list a test feeds, and a queue that is a plain list. */
function setUp(pending: { id: string; data: unknown; addedAt: number }[] = [], open: Asset[] = []) {
  const clock = new ManualClock()
  const added: { id: string; priority: number }[] = []
  const evidence = new Map<string, number | null>()
  const completedRemoved: string[] = []
  const removed: string[] = []
  const feed: ServiceEvent[] = []
  const wakers: (() => void)[] = []
  const lists: (Asset[] | Error)[] = [open]
  const counts = { listed: 0, skipped: [] as string[], stakes: 0, refused: 0, streamRefused: 0 }
  const broken = { queue: false }
  const results = new Map<string, unknown>()
  const gate: { hold?: Promise<void> } = {}
  const dropped: DroppedAnalysis[] = []
  const undecided: string[] = []
  const alarms = { from: 0, found: [] as string[], risks: [] as number[] }
  /** What the queue says of jobs, null of one that it does not have; those that are not here wait. */
  const known = new Map<string, Partial<KnownJob> | null>()
  const queue = {
    add: async (_queue: string, id: string, data: unknown, { priority }: { priority: number }) => {
      await gate.hold
      if (broken.queue) throw new AttestdError('queue-unreachable')
      if (added.some((job) => job.id === id)) return { added: false }
      added.push({ id, priority })
      evidence.set(id, (data as { unscoredAt: number | null }).unscoredAt)
      return { added: true }
    },
    find: async (_name: string, id: string) =>
      known.get(id) === null
        ? null
        : ({ state: 'waiting', data: null, attempts: 0, failure: null, ...known.get(id) } as KnownJob),
    remove: async (name: string, id: string, state: string) => {
      if (state === 'waiting' && known.get(id)?.state === 'active') return false
      if (state === 'waiting') removed.push(id)
      else completedRemoved.push(`${name} ${id}`)
      if (name === 'analyze-image' && state === 'completed')
        added.splice(0, added.length, ...added.filter((job) => job.id !== id))
      return true
    },
    result: async (name: string, id: string) => results.get(`${name} ${id}`),
    async *pending() {
      yield* pending
    },
  }
  const slow = { listMs: 0 }
  const service = {
    async *watch(signal: AbortSignal) {
      while (!signal.aborted) {
        const event = feed.shift()
        if (event) yield event
        else await new Promise<void>((resolve) => wakers.push(resolve))
      }
    },
    listOpen: async () => {
      counts.listed++
      if (slow.listMs > 0) await clock.sleep(slow.listMs)
      const next = lists.shift() ?? []
      if (next instanceof Error) throw next
      return { assets: next, stake }
    },
  } as unknown as AttesterService
  const intake = new Intake({
    service,
    queue,
    clock,
    random: () => 0,
    serviceClock: { now: () => clock.now(), state: () => ({ offsetMs: 0, errorBoundMs: 1, trusted: true }) },
    log: silentLog,
    doppelgangers: {
      isForeign: (unscoredAt) => unscoredAt !== null && unscoredAt >= alarms.from,
      found: (id) => alarms.found.push(id),
    },
    events: {
      foreign: ({ risk }) => alarms.risks.push(risk),
      skipped: (cause) => counts.skipped.push(cause),
      dropped: (event) => dropped.push(event),
      undecided: ({ asset }) => undecided.push(asset.id),
    },
    listEveryMs: 60_000,
    onStake: () => counts.stakes++,
    onRefused: () => counts.refused++,
    onStreamRefused: () => counts.streamRefused++,
  })
  const stop = new AbortController()
  const running = intake.run(stop.signal)
  return {
    alarms,
    clock,
    added,
    evidence,
    removed,
    completedRemoved,
    dropped,
    undecided,
    forget: () => intake.forget(),
    known,
    results,
    reconsider: (id: string) => intake.reconsider(id),
    scored: (id: string) => intake.scored(id),
    gate,
    lists,
    slow,
    counts,
    broken,
    async send(event: ServiceEvent) {
      feed.push(event)
      for (const wake of wakers.splice(0)) wake()
      await settle()
      await settle()
    },
    async end() {
      stop.abort()
      for (const wake of wakers.splice(0)) wake()
      await running
    },
  }
}

const snapshot = (...assets: Asset[]): ServiceEvent => ({ kind: 'snapshot', assets, ids: assets.map(({ id }) => id) })

describe('intake', () => {
  it('records that the service had no score of this attester, where it states so', async () => {
    const parts = setUp()
    const unknown = openAsset({ id: 'unknown', scoreCount: 2 })
    const silent = openAsset({ id: 'silent', scoreCount: null })
    await parts.send(
      snapshot(openAsset({ id: 'asked', myScore: null, scoreCount: 2 }), openAsset({ id: 'new' }), unknown, silent),
    )
    expect([...parts.evidence]).toEqual([
      [jobIdOf('asked'), parts.clock.now()],
      [jobIdOf('new'), parts.clock.now()],
      [jobIdOf('unknown'), null],
      [jobIdOf('silent'), null],
    ])
    await parts.end()
  })

  it('queues each asset once, urgent ones first and with priority', async () => {
    const parts = setUp()
    await parts.send(snapshot(openAsset({ id: 'a' }), openAsset({ id: 'b', turnaround: 'priority_5min' })))
    await parts.send({ kind: 'delta', assets: [openAsset({ id: 'a' })], ids: ['a'] })
    await parts.end()
    expect(parts.added).toEqual([
      { id: jobIdOf('b'), priority: 1 },
      { id: jobIdOf('a'), priority: 10 },
    ])
  })

  it('skips what this attester has already scored, including a score of 0', async () => {
    const parts = setUp()
    await parts.send(snapshot(openAsset({ id: 'a', myScore: asRisk(0) }), openAsset({ id: 'b', myScore: asRisk(0.5) })))
    await parts.end()
    expect(parts.added).toEqual([])
    expect(parts.counts.skipped).toEqual(['already-scored', 'already-scored'])
  })

  it('drops the job of an asset that left the open set, also one queued before a restart', async () => {
    const asset = openAsset({ id: 'old' })
    const data = { asset, seenAt: 1 }
    const parts = setUp([
      { id: jobIdOf('old'), data, addedAt: 1 },
      { id: 'x', data: { torn: true }, addedAt: 1 },
    ])
    await parts.send(snapshot(openAsset({ id: 'a' })))
    await parts.clock.advance(5001)
    await parts.send(snapshot())
    await parts.end()
    expect(parts.removed).toEqual([jobIdOf('old'), jobIdOf('a')])
  })

  it('does not ask the queue about a closing asset whose score is recorded', async () => {
    const parts = setUp()
    await parts.send(snapshot(openAsset({ id: 'a' }), openAsset({ id: 'b' })))
    parts.scored('a')
    parts.scored('never offered')
    await parts.clock.advance(5001)
    await parts.send(snapshot())
    await parts.end()
    expect(parts.removed).toEqual([jobIdOf('b')])
  })

  it('an active job is dropped after its asset closes once it returns to the queue, and its last failure is reported once', async () => {
    const parts = setUp()
    const asset = openAsset({ id: 'a' })
    await parts.send(snapshot(asset))
    await parts.clock.advance(5001)
    parts.known.set(jobIdOf('a'), { state: 'active' })
    await parts.send(snapshot())
    expect(parts.removed).toEqual([])
    const failure = { reason: 'media-unreachable', message: 'no gateway' } as const
    parts.known.set(jobIdOf('a'), { state: 'waiting', data: { asset, seenAt: 1 }, attempts: 9, failure })
    await parts.send(snapshot())
    await parts.send(snapshot())
    await parts.end()
    expect(parts.removed).toEqual([jobIdOf('a')])
    expect(parts.dropped).toMatchObject([{ asset: { id: 'a' }, failure }])
  })

  it('an asset that closes while it waits for a person ends without a score', async () => {
    const parts = setUp()
    await parts.send(snapshot(openAsset({ id: 'a' })))
    const review = { deadline: 9e12, doubt: 'lies in the decision band', parts: [], evidence: [] }
    parts.known.set(jobIdOf('a'), { state: 'completed', data: submitJobData({ review }) })
    await parts.clock.advance(5001)
    await parts.send(snapshot())
    await parts.end()
    expect(parts.removed).toEqual([jobIdOf('a')])
    expect(parts.undecided).toEqual(['asset-1'])
  })

  it('jobs of unknown closed assets are found by reading the queue again', async () => {
    const pending: { id: string; data: unknown; addedAt: number }[] = []
    const parts = setUp(pending)
    await settle()
    pending.push({ id: jobIdOf('stray'), data: { asset: openAsset({ id: 'stray' }), seenAt: 1 }, addedAt: 1 })
    for (let minute = 0; minute < 6; minute++) await parts.clock.advance(60_000)
    await parts.end()
    expect(parts.removed).toEqual([jobIdOf('stray')])
  })

  it('after a restart a job of an asset that closed meanwhile is dropped at once, and a new one is not', async () => {
    const job = (id: string, addedAt: number) => ({
      id: jobIdOf(id),
      data: { asset: openAsset({ id }), seenAt: addedAt },
      addedAt,
    })
    const now = new ManualClock().now()
    const parts = setUp(
      [job('closed', now - 60_000), job('new', now), job('open', now - 60_000)],
      [openAsset({ id: 'open' })],
    )
    await settle()
    await settle()
    expect(parts.removed).toEqual([jobIdOf('closed')])
    await parts.end()
  })

  it('the list finds what the stream missed, and reports the stake', async () => {
    const parts = setUp()
    await settle()
    parts.lists.push([openAsset({ id: 'quiet' })])
    await parts.clock.advance(60_000)
    await settle()
    await parts.end()
    expect(parts.added.map(({ id }) => id)).toEqual([jobIdOf('quiet')])
    expect(parts.counts.stakes).toBe(2)
  })

  it('after a rejected list it waits as long as the service asked', async () => {
    const parts = setUp()
    await settle()
    parts.lists.push(new AttestdError('service-rate-limited', undefined, { retryAfterMs: 200_000 }))
    await parts.clock.advance(60_000)
    await settle()
    expect(parts.counts.listed).toBe(2)
    await parts.clock.advance(199_999)
    await settle()
    expect(parts.counts.listed).toBe(2)
    await parts.clock.advance(1)
    await settle()
    expect(parts.counts.listed).toBe(3)
    await parts.end()
  })

  it('an asset of the list is scored, and not again by the stream', async () => {
    const parts = setUp()
    parts.lists.push([openAsset({ id: 'mine', myScore: asRisk(0.07) })])
    await settle()
    await parts.clock.advance(60_000)
    await settle()
    await parts.send(snapshot(openAsset({ id: 'mine' })))
    await parts.end()
    expect(parts.added).toEqual([])
  })

  it('a score on an asset that this queue abstained from raises the alarm once, when the list shows it', async () => {
    const ids = ['abstained', 'scored-here', 'at-work', 'scored-before', 'foreign-from-the-start']
    const unscored = ids.map((id) =>
      openAsset({ id, myScore: id.endsWith('start') ? asRisk(0.5) : null, scoreCount: 1 }),
    )
    const parts = setUp([], unscored)
    await settle()
    const job = (id: string) => ({ asset: jobAssetOf(openAsset({ id })), seenAt: 0, unscoredAt: null })
    const abstained = { outcome: 'abstained', reason: 'media-corrupt', message: '' }
    const ended = { 'at-work': undefined, 'scored-here': { outcome: 'moved', mediaType: 'image' } }
    for (const id of ids) {
      parts.results.set(`analyze-image ${jobIdOf(id)}`, id in ended ? ended[id as keyof typeof ended] : abstained)
      parts.known.set(jobIdOf(id), { state: 'completed', data: job(id) })
    }
    const list = async (...scored: string[]) => {
      parts.lists.push(ids.map((id) => openAsset({ id, myScore: scored.includes(id) ? asRisk(0.77) : null })))
      await parts.clock.advance(60_000)
      await settle()
      await settle()
    }
    parts.alarms.from = Number.POSITIVE_INFINITY
    await list('scored-before', 'foreign-from-the-start')
    expect(parts.alarms.found).toEqual([])
    parts.alarms.from = 0
    await list('abstained', 'scored-here', 'at-work', 'foreign-from-the-start')
    await list('abstained', 'scored-here', 'at-work', 'foreign-from-the-start')
    expect(parts.alarms).toMatchObject({ found: ['abstained'], risks: [0.77] })
    parts.results.set(`analyze-image ${jobIdOf('at-work')}`, abstained)
    await list('at-work')
    await parts.end()
    expect(parts.alarms.found).toEqual(['abstained', 'at-work'])
  })

  it('an urgent asset overtakes a snapshot that is still being queued', async () => {
    const parts = setUp()
    let open = () => {}
    parts.gate.hold = new Promise((resolve) => {
      open = resolve
    })
    await parts.send(snapshot(...Array.from({ length: 40 }, (_, index) => openAsset({ id: `plain-${index}` }))))
    const urgent = openAsset({ id: 'urgent', turnaround: 'priority_5min' })
    await parts.send({ kind: 'delta', assets: [urgent], ids: ['urgent'] })
    open()
    await settle()
    await parts.end()
    const place = parts.added.findIndex(({ id }) => id === jobIdOf('urgent'))
    expect(place).toBeGreaterThanOrEqual(0)
    expect(place).toBeLessThan(10)
  })

  const closed = { outcome: 'closed', maybeStored: false } as const
  const accepted = { outcome: 'accepted', scoreId: 's', risk: 1, attester: null } as const
  it.each([
    ['whose submission ended as closed gets new jobs', closed, 10_000, [`analyze-image ${jobIdOf('a')}`]],
    ['that seemed closed is not taken up at once, which would turn for ever', closed, 0, []],
    ['whose score is on record is left alone', accepted, 10_000, []],
  ])('an asset that is offered again %s', async (_, submission, laterMs, analyses) => {
    const parts = setUp()
    await parts.send(snapshot(openAsset({ id: 'a' })))
    parts.results.set(`submit ${jobIdOf('a')}`, submission)
    parts.reconsider('a')
    await parts.clock.advance(laterMs)
    await parts.send(snapshot(openAsset({ id: 'a' })))
    await parts.end()
    expect(parts.added.map(({ id }) => id)).toEqual([jobIdOf('a')])
    expect(parts.completedRemoved).toEqual(analyses)
  })

  it.each([
    { loses: 'lost', submission: null, analyses: [`analyze-image ${jobIdOf('a')}`] },
    { loses: 'kept', submission: { state: 'failed' } as const, analyses: [] },
  ])('a scored asset whose submission the queue has $loses', async ({ submission, analyses }) => {
    const parts = setUp()
    await parts.send(snapshot(openAsset({ id: 'a' })))
    const { verdict } = submitJobData()
    parts.results.set(`analyze-image ${jobIdOf('a')}`, {
      outcome: 'scored',
      mediaType: 'image',
      verdict,
      cached: false,
    })
    parts.known.set(jobIdOf('a'), submission)
    parts.forget()
    await parts.send(snapshot(openAsset({ id: 'a' })))
    await parts.end()
    expect(parts.completedRemoved).toEqual(analyses)
    expect(parts.added.map(({ id }) => id)).toEqual([jobIdOf('a')])
  })

  const [assets, ids] = [[openAsset()], [openAsset().id]]
  it.each<[string, ServiceEvent, number, ServiceEvent]>([
    ['is malformed, but open by its id', { kind: 'delta', assets, ids }, 5001, { kind: 'snapshot', assets: [], ids }],
    ['is missing in a late snapshot', { kind: 'delta', assets, ids }, 0, snapshot()],
  ])('an asset that %s keeps its job', async (_, first, waitMs, second) => {
    const parts = setUp()
    await parts.send(first)
    await parts.clock.advance(waitMs)
    await parts.send(second)
    await parts.end()
    expect([parts.added.length, parts.removed]).toEqual([1, []])
  })

  it('a snapshot on a slow stream, older than the list, does not close what the list named first', async () => {
    const parts = setUp()
    await parts.send(snapshot())
    parts.lists.push([openAsset({ id: 'new' })])
    await parts.clock.advance(60_000)
    await parts.clock.advance(30_000)
    expect(parts.added.map(({ id }) => id)).toEqual([jobIdOf('new')])
    await parts.send(snapshot())
    expect(parts.removed).toEqual([])
    await parts.send(snapshot(openAsset({ id: 'new' })))
    await parts.send(snapshot())
    await parts.end()
    expect(parts.removed).toEqual([jobIdOf('new')])
  })

  it.each(['service-forbidden', 'service-unauthorized'] as const)(
    'a list rejected with %s is reported, because it concerns the stake or the key',
    async (reason) => {
      const parts = setUp()
      await settle()
      parts.lists.push(new AttestdError(reason))
      await parts.clock.advance(60_000)
      await settle()
      await parts.end()
      expect(parts.counts.refused).toBe(1)
    },
  )

  it.each([
    ['service-forbidden', 1],
    ['stream-error-event', 1],
    ['stream-ended', 0],
  ] as const)('a stream that ends with %s is reported %d times as a rejection', async (reason, times) => {
    const parts = setUp()
    await parts.send({ kind: 'trouble', reason, message: 'said', retryInMs: 500 })
    await parts.end()
    expect(parts.counts.streamRefused).toBe(times)
  })

  it.each([
    ['was too large', { kind: 'trouble', reason: 'event-too-large', message: 'skipped' }],
    ['was not read', { kind: 'unread' }],
  ] as const)('a stream event that %s is followed by a list, soon and once', async (_, event) => {
    const parts = setUp()
    await settle()
    expect(parts.counts.listed).toBe(1)
    parts.lists.push([openAsset({ id: 'in-the-list' })])
    for (let at = 0; at < 3; at++) await parts.send(event)
    expect(parts.counts.listed).toBe(1)
    await parts.clock.advance(5000)
    await settle()
    expect(parts.added.map(({ id }) => id)).toEqual([jobIdOf('in-the-list')])
    await parts.clock.advance(50_000)
    await settle()
    await parts.end()
    expect(parts.counts.listed).toBe(2)
  })

  it('lists after too large events become rarer, the longer the last one took', async () => {
    const parts = setUp()
    await settle()
    parts.slow.listMs = 1500
    await parts.clock.advance(60_000)
    await parts.clock.advance(1500)
    await settle()
    expect(parts.counts.listed).toBe(2)
    await parts.send({ kind: 'trouble', reason: 'event-too-large', message: 'skipped' })
    await parts.clock.advance(13_000)
    await settle()
    expect(parts.counts.listed).toBe(2)
    await parts.clock.advance(1000)
    await settle()
    expect(parts.counts.listed).toBe(3)
    await parts.clock.advance(1500)
    await parts.end()
  })

  it('a too large stream event does not shorten the pause after a failed list', async () => {
    const parts = setUp()
    await settle()
    parts.lists.push(new AttestdError('service-rate-limited', 'busy', { retryAfterMs: 50_000 }))
    await parts.clock.advance(60_000)
    await settle()
    await parts.send({ kind: 'trouble', reason: 'event-too-large', message: 'skipped' })
    await parts.clock.advance(40_000)
    await settle()
    await parts.end()
    expect(parts.counts.listed).toBe(2)
  })

  it('what a broken queue did not accept is offered again with the next event', async () => {
    const parts = setUp()
    parts.broken.queue = true
    await parts.send(snapshot(openAsset({ id: 'a' })))
    expect(parts.added).toEqual([])
    parts.broken.queue = false
    await parts.send(snapshot(openAsset({ id: 'a' })))
    await parts.end()
    expect(parts.added.map(({ id }) => id)).toEqual([jobIdOf('a')])
  })
})
