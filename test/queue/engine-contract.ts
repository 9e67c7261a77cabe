import type { Queue } from 'bullmq'
import type { Redis } from 'ioredis'
import { expect, it, onTestFinished, vi } from 'vitest'
import { AttestdError } from '../../src/core/errors.js'
import type { PglitePool } from '../../src/queue/embedded/pglite-pool.js'
import { type JobRun, type Processor, QUEUE_NAMES, type QueueEngine, type QueueName } from '../../src/queue/queues.js'
import { deferred, EventLog, heldProcessor, LOCK_MS, RETRY_MAX_MS, sharedWorkers } from './queue-support.js'

/** Tries in passing trouble: more than any release has allowed an analysis by default. */
const LONG = 8

/**
 * What every engine must do. The engine is shared by the tests: each cleans up, and ids differ.
 * @param reported the trouble of the engine
 */
export function engineContract(open: () => QueueEngine, reported: EventLog): void {
  const { work, workers } = sharedWorkers(open)

  it('adds an id once, keeps the first data, and still knows it when completed', async () => {
    const engine = open()
    expect(await engine.add('analyze-image', 'once', { n: 1 }, { priority: 1 })).toEqual({ added: true })
    expect(await engine.add('analyze-image', 'once', { n: 2 }, { priority: 1 })).toEqual({ added: false })
    const events = await work('analyze-image', async (run) => ({ kind: 'done', result: run.data }))
    const [done] = await events.until('completed')
    expect(done).toMatchObject({ queue: 'analyze-image', id: 'once', data: { n: 1 }, result: { n: 1 }, attempt: 1 })
    expect(await engine.add('analyze-image', 'once', { n: 3 }, { priority: 1 })).toEqual({ added: false })
  })

  it('gives a claim one owner, who may renew it, and frees it once it is released', async () => {
    const { claims } = open()
    expect(await claims.take('work', 'a', 60_000)).toBe(true)
    expect(await claims.take('work', 'b', 60_000)).toBe(false)
    expect(await claims.take('work', 'a', 60_000)).toBe(true)
    await claims.release('work', 'b')
    expect(await claims.take('work', 'b', 60_000)).toBe(false)
    await claims.release('work', 'a')
    expect(await claims.take('work', 'b', 60_000)).toBe(true)
    await claims.release('work', 'b')
  })

  it('lets exactly one of many parallel adds of an id win', async () => {
    const adds = Array.from({ length: 24 }, (_, n) => open().add('analyze-image', 'race', { n }, { priority: 1 }))
    const ends = await Promise.all(adds)
    expect(ends.filter((end) => end.added)).toHaveLength(1)
  })

  it('runs urgent jobs first and equal ones in order', async () => {
    const engine = open()
    const jobs = { low: 3, urgent: 1, middle: 2, later: 2 }
    for (const [id, priority] of Object.entries(jobs)) await engine.add('submit', id, {}, { priority })
    const order: string[] = []
    const events = await work('submit', async (run) => {
      order.push(run.id)
      return { kind: 'done', result: null }
    })
    await events.until('completed', () => true, 4)
    expect(order).toEqual(['urgent', 'middle', 'later', 'low'])
  })

  it('retries delayed jobs where the wall clock was set back, instead of waiting longer', async () => {
    await open().add('submit', 'set back', {}, { priority: 1 })
    let runs = 0
    const events = await work('submit', async () =>
      runs++ === 0 ? { kind: 'hold', reason: 'clock-untrusted', delayMs: 2000 } : { kind: 'done', result: null },
    )
    await events.until('held')
    const wall = Date.now
    const setBack = vi.spyOn(Date, 'now').mockImplementation(() => wall() - 3_600_000)
    onTestFinished(() => setBack.mockRestore())
    await events.until('completed')
  })

  it('runs other jobs in place of those that step aside, and none more once they are back', async () => {
    const engine = open()
    // One at a time.
    for (const id of ['aside', 'in its place', 'after it']) await engine.add('submit', id, {}, { priority: 1 })
    const [mayReturn, mayEnd] = [deferred(), deferred()]
    const running = new Set<string>()
    let most = 0
    const events = await work('submit', async (run) => {
      running.add(run.id)
      const comeBack = run.id === 'aside' ? run.stepAside() : () => {}
      if (run.id === 'aside') await mayReturn.promise
      comeBack()
      if (run.id !== 'after it') await mayEnd.promise
      most = Math.max(most, running.size)
      running.delete(run.id)
      return { kind: 'done', result: null }
    })
    await expect.poll(() => [...running]).toEqual(['aside', 'in its place'])
    mayReturn.resolve()
    mayEnd.resolve()
    await events.until('completed', () => true, 3)
    expect(most).toBe(2)
  })

  it('retries after temporary failures, and passes on what the run had saved', async () => {
    const engine = open()
    await engine.add('analyze-image', 'again', { step: 0 }, { priority: 1 })
    const seen: unknown[] = []
    const events = await work('analyze-image', async (run: JobRun<unknown>) => {
      seen.push([run.attempt, run.data])
      if (run.attempt === 1) {
        await run.save({ step: 1 })
        throw new AttestdError('detector-unavailable', 'none is warm')
      }
      return { kind: 'done', result: 'ok' }
    })
    await events.until('completed')
    expect(seen).toEqual([
      [1, { step: 0 }],
      [2, { step: 1 }],
    ])
    const [failed] = events.of('failed')
    expect(failed).toMatchObject({ reason: 'detector-unavailable', message: 'none is warm', attempt: 1, final: false })
    expect(failed?.retryInMs).toBe(RETRY_MAX_MS / 2)
  })

  it('never gives up over temporary failures, even for a job to which an older release gave three attempts', async () => {
    const engine = open()
    await boardQueue(engine, 'analyze-image').add('analyze-image', {}, { jobId: 'older', attempts: 3 })
    await engine.add('analyze-image', 'long', { asset: 'a' }, { priority: 1 })
    let broken = true
    const events = await work('analyze-image', async () => {
      if (broken) throw new AttestdError('service-connection-lost', 'cut')
      return { kind: 'done', result: null }
    })
    await events.until('failed', ({ id, attempt }) => id === 'older' && attempt === 5)
    const [last] = await events.until('failed', ({ id, attempt }) => id === 'long' && attempt === LONG)
    expect(last).toMatchObject({ final: false, retryInMs: RETRY_MAX_MS / 2 })
    expect(await engine.find('analyze-image', 'long')).toMatchObject({
      data: { asset: 'a' },
      failure: { reason: 'service-connection-lost', message: 'cut' },
    })
    broken = false
    const [done] = await events.until('completed', ({ id }) => id === 'long')
    await events.until('completed', ({ id }) => id === 'older')
    expect(done?.attempt).toBeGreaterThan(LONG)
    expect(events.of('failed').filter(({ final }) => final)).toEqual([])
  })

  it('runs new jobs before retried ones, and these before less urgent ones', async () => {
    const engine = open()
    for (const id of ['tried', 'less-urgent']) await engine.add('submit', id, {}, { priority: id === 'tried' ? 1 : 10 })
    const priorities: (number | undefined)[] = []
    const events = await work('submit', async (run) => {
      priorities.push((await boardQueue(engine, 'submit').getJob(run.id))?.priority)
      if (run.id === 'tried' && run.attempt < 3) throw new AttestdError('service-failing')
      return { kind: 'done', result: null }
    })
    await events.until('completed', () => true, 2)
    expect(priorities.toSorted()).toEqual([1, 10, 2, 2])
  })

  it('finds a job in any state, with the last failure', async () => {
    const engine = open()
    const state = async (id: string) => (await engine.find('analyze-image', id))?.state ?? null
    const started = deferred()
    const release = deferred()
    await engine.add('analyze-image', 'found', { n: 1 }, { priority: 1 })
    expect(await engine.find('analyze-image', 'found')).toEqual({
      state: 'waiting',
      data: { n: 1 },
      attempts: 0,
      failure: null,
    })
    const events = await work('analyze-image', async (run) => {
      if (run.id === 'spoiled') throw new AttestdError('score-conflict', 'it is 40')
      started.resolve()
      await release.promise
      return { kind: 'hold', reason: 'stake-low', delayMs: 60_000 }
    })
    await started.promise
    expect(await state('found')).toBe('active')
    release.resolve()
    await events.until('held')
    expect(await state('found')).toBe('waiting')
    await engine.add('analyze-image', 'spoiled', {}, { priority: 1 })
    await events.until('failed')
    const failure = { reason: 'score-conflict', message: 'it is 40' }
    expect(await engine.find('analyze-image', 'spoiled')).toEqual({ state: 'failed', data: {}, attempts: 1, failure })
    expect(await state('absent')).toBe(null)
  })

  it('keeps a job that failed for good, with its reason, and retries it on request', async () => {
    const engine = open()
    await engine.add('analyze-image', 'spent', { asset: 'a' }, { priority: 1 })
    let broken = true
    const events = await work('analyze-image', async () => {
      if (broken) throw new AttestdError('detector-crashed', 'gone')
      return { kind: 'done', result: null }
    })
    const [last] = await events.until('failed', (event) => event.final)
    expect(last).toMatchObject({ id: 'spent', attempt: 1, retryInMs: null, reason: 'detector-crashed' })
    const kept = (await engine.failed('analyze-image', 10)).find((job) => job.id === 'spent')
    expect(kept).toMatchObject({
      queue: 'analyze-image',
      reason: 'detector-crashed',
      message: 'gone',
      attempts: 1,
      data: { asset: 'a' },
    })
    expect(Math.abs(Date.now() - (kept?.failedAt ?? 0))).toBeLessThan(60_000)
    broken = false
    expect(await engine.retry('analyze-image', ['spent', 'absent'])).toBe(1)
    const [done] = await events.until('completed', (event) => event.id === 'spent')
    expect(done?.attempt).toBe(1)
    expect(await engine.retry('analyze-image', ['spent'])).toBe(0)
  })

  it('never retries a permanent failure, and retries all failed ones when no ids are given', async () => {
    const engine = open()
    for (const id of ['final-1', 'final-2']) await engine.add('submit', id, {}, { priority: 1 })
    let runs = 0
    const events = await work('submit', async () => {
      runs++
      throw new AttestdError('score-conflict')
    })
    const failures = await events.until('failed', (event) => event.final, 2)
    expect(failures.map((event) => [event.reason, event.attempt])).toEqual([
      ['score-conflict', 1],
      ['score-conflict', 1],
    ])
    expect((await engine.counts('submit')).failed).toBe(2)
    expect(await engine.retry('submit')).toBe(2)
    await events.until('failed', (event) => event.final, 4)
    expect(runs).toBe(4)
  })

  it('counts an unexpected error as internal, keeps its stack, and retries', async () => {
    const engine = open()
    await engine.add('analyze-image', 'foreign', {}, { priority: 1 })
    const events = await work('analyze-image', async () => {
      throw new TypeError('x is not a function')
    })
    const [failed] = await events.until('failed')
    expect(failed).toMatchObject({ reason: 'internal-error', message: 'x is not a function', final: false })
  })

  it('uses no attempt for holds, whether returned or thrown', async () => {
    const engine = open()
    const holds = 9
    await engine.add('analyze-image', 'held', {}, { priority: 1 })
    let runs = 0
    const attempts = new Set<number>()
    const events = await work('analyze-image', async (run) => {
      attempts.add(run.attempt)
      runs++
      if (runs === 1) throw new AttestdError('stake-unknown', undefined)
      if (runs <= holds) return { kind: 'hold', reason: 'stake-low', delayMs: 50.7 }
      return { kind: 'done', result: null }
    })
    await events.until('completed')
    expect([...attempts]).toEqual([1])
    const held = events.of('held')
    expect(held).toHaveLength(holds)
    expect(held.every((event) => Number.isInteger(event.delayMs))).toBe(true)
    expect(held.at(-1)).toMatchObject({ id: 'held', reason: 'stake-low', delayMs: 51 })
    expect(events.of('failed')).toEqual([])
  })

  it('waits as long as the other side asked, in whole milliseconds', async () => {
    const engine = open()
    await engine.add('analyze-image', 'limited', {}, { priority: 1 })
    const events = await work('analyze-image', async () => {
      throw new AttestdError('service-failing', 'busy', { retryAfterMs: 600_000.4 })
    })
    const [failed] = await events.until('failed')
    expect(failed?.retryInMs).toBe(600_000)
    expect(await engine.counts('analyze-image')).toMatchObject({ delayed: 1, active: 0 })
    const [waiting, ...others] = await engine.retrying('analyze-image', 10)
    expect(others).toEqual([])
    const failure = { reason: 'service-failing', message: 'busy' }
    expect(waiting).toMatchObject({ queue: 'analyze-image', id: 'limited', attempts: 1, failure })
    expect(waiting?.data).toEqual({})
    // From its start, which was after it was added.
    expect(waiting!.nextTryAt - waiting!.addedAt).toBeGreaterThanOrEqual(600_000)
  })

  it('accepts strings that PostgreSQL refuses, wherever they come from', async () => {
    const engine = open()
    const poison = 'a\u0000b\ud800c'
    await engine.add('analyze-image', 'poison', { [poison]: poison, deep: [{ uri: poison }] }, { priority: 1 })
    const events = await work('analyze-image', async (run) => {
      if (run.attempt === 1) {
        await run.save({ saved: poison })
        throw new AttestdError('detector-unavailable', poison)
      }
      return { kind: 'done', result: { data: run.data, poison } }
    })
    const [done] = await events.until('completed')
    expect(done?.result).toEqual({ data: { saved: 'a\ufffdb\ufffdc' }, poison: 'a\ufffdb\ufffdc' })
    expect(events.of('failed')[0]).toMatchObject({ message: 'a\ufffdb\ufffdc', reason: 'detector-unavailable' })
  })

  it('fails a job whose foreign error or result cannot be stored, and continues', async () => {
    const engine = open()
    await engine.add('submit', 'bad-error', {}, { priority: 1 })
    await engine.add('submit', 'bad-result', {}, { priority: 2 })
    const events = await work('submit', async (run) => {
      if (run.id === 'bad-result') return { kind: 'done', result: { big: 1n } }
      const error = new Error('nul \u0000 inside')
      error.stack = 'stack \u0000 \ud800'
      throw error
    })
    const [badResult] = await events.until('failed', (event) => event.id === 'bad-result')
    expect(badResult).toMatchObject({ reason: 'job-malformed', final: true })
    const [badError] = await events.until('failed', (event) => event.id === 'bad-error')
    expect(badError).toMatchObject({ reason: 'internal-error', final: false })
    expect((await engine.counts('submit')).active).toBe(0)
  })

  it('refuses data that is no JSON or too large, by name', async () => {
    const add = (data: unknown) => open().add('analyze-image', 'refused', data, { priority: 1 })
    await expect(add({ n: 1n })).rejects.toMatchObject({ reason: 'job-malformed' })
    await expect(add('x'.repeat(1024 * 1024))).rejects.toMatchObject({ reason: 'job-malformed' })
  })

  it('lists waiting jobs while jobs are removed, and drains them', async () => {
    const engine = open()
    for (let i = 0; i < 130; i++) await engine.add('analyze-image', `wait-${i}`, { i }, { priority: 1 + (i % 3) })
    const seen = new Set<string>()
    for await (const job of engine.pending('analyze-image')) {
      seen.add(job.id)
      expect(job.addedAt).toBeGreaterThan(0)
      if ((job.data as { i: number }).i % 2 === 0)
        expect(await engine.remove('analyze-image', job.id, 'waiting')).toBe(true)
    }
    expect(seen.size).toBe(130)
    expect(await engine.remove('analyze-image', 'wait-0', 'waiting')).toBe(false)
    expect((await engine.counts('analyze-image')).waiting).toBe(65)
    expect(await engine.drain('analyze-image')).toBe(65)
    expect(await engine.counts('analyze-image')).toMatchObject({ waiting: 0, delayed: 0 })
  })

  it('lists completed jobs with their results while jobs are removed', async () => {
    const engine = open()
    const events = await work('submit', async (run) => ({ kind: 'done', result: { of: run.id } }))
    const ids = Array.from({ length: 120 }, (_, nth) => `listed-${nth}`)
    for (const id of ids) await engine.add('submit', id, { id }, { priority: 1 })
    for (const id of ids) await events.until('completed', (event) => event.id === id)
    const seen: unknown[] = []
    for await (const { id, data, result } of engine.completed('submit')) {
      if (!id.startsWith('listed-')) continue
      seen.push(id)
      expect([data, result]).toEqual([{ id }, { of: id }])
      expect(await engine.remove('submit', id, 'completed')).toBe(true)
    }
    expect(seen.toSorted()).toEqual(ids.toSorted())
  })

  it('removes a completed job only when asked for one, so that its id is free again', async () => {
    const engine = open()
    const events = await work('submit', async () => ({ kind: 'done', result: null }))
    await engine.add('submit', 'ended', {}, { priority: 1 })
    await events.until('completed')
    expect(await engine.remove('submit', 'ended', 'waiting')).toBe(false)
    expect(await engine.add('submit', 'ended', {}, { priority: 1 })).toEqual({ added: false })
    expect(await engine.remove('submit', 'ended', 'completed')).toBe(true)
    expect(await engine.add('submit', 'ended', {}, { priority: 1 })).toEqual({ added: true })
  })

  it('lists and drains held jobs, and removes no active one', async () => {
    const engine = open()
    await engine.add('submit', 'asleep', {}, { priority: 1 })
    const busy = heldProcessor()
    const events = await work('submit', async (run) =>
      run.id === 'asleep' ? { kind: 'hold', reason: 'stake-low', delayMs: 3_600_000 } : busy.run(run),
    )
    await events.until('held')
    await engine.add('submit', 'busy', {}, { priority: 1 })
    await busy.started
    expect(await engine.remove('submit', 'busy', 'waiting')).toBe(false)
    const waiting: string[] = []
    for await (const job of engine.pending('submit')) waiting.push(job.id)
    expect(waiting).toEqual(['asleep'])
    expect(await engine.drain('submit')).toBe(1)
    busy.release()
    await events.until('completed', (event) => event.id === 'busy')
  })

  it('drains on stop: active jobs end, waiting ones stay, and nothing is paused', async () => {
    const engine = open()
    for (const id of ['drained', 'left']) await engine.add('submit', id, {}, { priority: 1 })
    const { release, run, started } = heldProcessor()
    const events = new EventLog()
    const worker = await engine.work('submit', run, events)
    await started
    const stopped = worker.stop(60_000)
    release()
    expect(await stopped).toEqual({ drained: true })
    expect(events.of('completed').map((event) => event.id)).toEqual(['drained'])
    expect(await engine.counts('submit')).toMatchObject({ waiting: 1, active: 0 })
    expect(await boardQueue(engine, 'submit').isPaused()).toBe(false)
  })

  it('reports the results of its completed jobs, and of no others', async () => {
    const engine = open()
    await engine.add('analyze-image', 'returns', {}, { priority: 1 })
    await engine.add('analyze-image', 'fails', {}, { priority: 1 })
    expect(await engine.result('analyze-image', 'returns')).toBeUndefined()
    const events = await work('analyze-image', async (run) => {
      if (run.id === 'fails') throw new AttestdError('score-conflict')
      return { kind: 'done', result: { score: 0.5, of: run.id } }
    })
    await events.until('completed')
    await events.until('failed')
    expect(await engine.result('analyze-image', 'returns')).toEqual({ score: 0.5, of: 'returns' })
    expect(await engine.result('analyze-image', 'fails')).toBeUndefined()
    expect(await engine.result('analyze-image', 'absent')).toBeUndefined()
    expect(await engine.result('submit', 'returns')).toBeUndefined()
  })

  it('takes no job while paused, not even one that it was waiting for, and leaves it to others', async () => {
    const engine = open()
    const takenByPaused: string[] = []
    const take: Processor<unknown, unknown> = async (run) => {
      takenByPaused.push(run.id)
      return { kind: 'done', result: null }
    }
    const events = new EventLog()
    const paused = await engine.work('submit', take, events)
    workers.push(paused)
    await engine.add('submit', 'before-pause', {}, { priority: 1 })
    await events.until('completed')
    await untilAsleep(engine)
    paused.pause()
    paused.pause()
    await engine.add('submit', 'for-another', {}, { priority: 1 })
    const other = await engine.work('submit', async () => ({ kind: 'done', result: null }), events)
    await events.until('completed', (event) => event.id === 'for-another')
    await other.stop(5000)
    await engine.add('submit', 'after-pause', {}, { priority: 1 })
    expect(takenByPaused).toEqual(['before-pause'])
    paused.resume()
    paused.resume()
    await events.until('completed', (event) => event.id === 'after-pause')
    expect(takenByPaused).toEqual(['before-pause', 'after-pause'])
  })

  it('hands out no job of a paused queue, and all of them once it is resumed', async () => {
    const engine = open()
    await engine.pause('analyze-image')
    await engine.pause('analyze-image')
    expect([await engine.isPaused('analyze-image'), await engine.isPaused('submit')]).toEqual([true, false])
    const events = await work('analyze-image', async () => ({ kind: 'done', result: null }))
    const others = await work('submit', async () => ({ kind: 'done', result: null }))
    for (const queue of QUEUE_NAMES) await engine.add(queue, 'while-paused', {}, { priority: 1 })
    await others.until('completed')
    expect(events.all).toEqual([])
    expect(await engine.counts('analyze-image')).toMatchObject({ waiting: 1, active: 0 })
    await engine.resume('analyze-image')
    await engine.resume('analyze-image')
    await events.until('completed', ({ id }) => id === 'while-paused')
    expect(await engine.isPaused('analyze-image')).toBe(false)
  })

  it('lets active jobs end while paused, and stops cleanly then', async () => {
    const engine = open()
    for (const id of ['running', 'next']) await engine.add('submit', id, {}, { priority: 1 })
    const { release, run, started } = heldProcessor()
    const events = new EventLog()
    const worker = await engine.work('submit', run, events)
    await started
    worker.pause()
    release()
    await events.until('completed', (event) => event.id === 'running')
    expect(await engine.counts('submit')).toMatchObject({ waiting: 1, active: 0 })
    worker.resume()
    await events.until('completed', (event) => event.id === 'next')
    worker.pause()
    await engine.add('submit', 'left-behind', {}, { priority: 1 })
    expect(await worker.stop(60_000)).toEqual({ drained: true })
    worker.resume()
    expect(await engine.counts('submit')).toMatchObject({ waiting: 1, active: 0 })
  })

  it('aborts runs after the cap and requeues their jobs without an attempt', async () => {
    const engine = open()
    await engine.add('analyze-image', 'aborted', {}, { priority: 1 })
    const started = deferred()
    const reasons: unknown[] = []
    const worker = await engine.work(
      'analyze-image',
      async ({ signal }) => {
        started.resolve()
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
        return { kind: 'done', result: null }
      },
      { failed: (event) => reasons.push(event.reason) },
    )
    await started.promise
    expect(await worker.stop(20)).toEqual({ drained: false })
    expect(reasons).toEqual([])
    expect(await engine.counts('analyze-image')).toMatchObject({ waiting: 1, active: 0 })
    const events = await work('analyze-image', async () => ({ kind: 'done', result: null }))
    expect((await events.until('completed'))[0]).toMatchObject({ id: 'aborted', attempt: 1 })
  })

  it('abandons a run that ignores its signal, and another worker takes the job over', async () => {
    const engine = open()
    await engine.add('analyze-image', 'stubborn', {}, { priority: 1 })
    const started = deferred()
    const ignore = async () => {
      started.resolve()
      return await new Promise<never>(() => {})
    }
    const worker = await engine.work('analyze-image', ignore, {})
    await started.promise
    expect(await worker.stop(0)).toEqual({ drained: false })
    const events = await work('analyze-image', async () => ({ kind: 'done', result: null }))
    const [done] = await events.until('completed')
    expect(done).toMatchObject({ id: 'stubborn', attempt: 1 })
    expect(events.of('stalled')).toEqual([{ queue: 'analyze-image', id: 'stubborn' }])
  })

  it('does not let a run without its lock overwrite the data', async () => {
    const engine = open()
    await engine.add('submit', 'robbed', { owner: 'first' }, { priority: 1 })
    const saved = deferred<unknown>()
    const aborted = deferred<unknown>()
    await work('submit', async (run) => {
      if (run.attempt === 1 && (run.data as { owner: string }).owner === 'first') {
        await robLock(engine, 'submit', run.id)
        run.signal.addEventListener('abort', () => aborted.resolve(run.signal.reason))
        await run.save({ owner: 'zombie' }).then(
          () => saved.resolve('saved'),
          (error: unknown) => saved.resolve(error),
        )
      }
      return { kind: 'done', result: null }
    })
    expect(await saved.promise).toMatchObject({ reason: 'job-lock-lost' })
    expect(await aborted.promise).toMatchObject({ reason: 'job-lock-lost' })
    await reported.until('trouble', ({ reason }) => reason === 'job-lock-lost')
    const job = await boardQueue(engine, 'submit').getJob('robbed')
    expect(job?.data).toEqual({ owner: 'first' })
  })

  it('renews the lock with every save, and passes the saved data to the end of the run', async () => {
    const engine = open()
    await engine.add('submit', 'renewed', { step: 0 }, { priority: 1 })
    let left = 0
    const events = await work('submit', async (run) => {
      // The worker, too, renews the lock from time to time.
      for (; left <= LOCK_MS; left = await lockLeftMs(engine, 'submit', run.id)) {
        await stretchLock(engine, 'submit', run.id)
      }
      await run.save({ step: 1 })
      left = await lockLeftMs(engine, 'submit', run.id)
      return { kind: 'done', result: null }
    })
    const [done] = await events.until('completed')
    expect(done?.data).toEqual({ step: 1 })
    expect(left).toBeLessThanOrEqual(LOCK_MS)
  })

  it('answers a ping', async () => {
    await expect(open().ping()).resolves.toBeUndefined()
    await expect(open().ping(AbortSignal.abort())).rejects.toThrow(/abort/i)
  })
}

/** Resolves when the only worker has nothing to do and waits to be woken. */
async function untilAsleep(engine: QueueEngine): Promise<void> {
  // The embedded engine answers in order, and a worker asks it only a few times on its way to sleep.
  for (let round = 0; engine.kind === 'embedded' && round < 50; round++) await engine.ping()
  if (engine.kind === 'embedded') return
  const client = await redisOf(engine)
  while (!/flags=b/.test(String(await client.client('LIST')))) await engine.ping()
}

/** Far longer than a lock of these tests. */
const LONG_LOCK_MS = 60_000

/** Gives the lock of an active job to somebody else, as if it had expired. */
async function robLock(engine: QueueEngine, queue: QueueName, id: string): Promise<void> {
  if (engine.kind === 'redis') await (await redisOf(engine)).set(lockKey(engine, queue, id), 'another')
  else await database(engine, `UPDATE job SET lock_token = 'another' WHERE queue = $1 AND id = $2`, [queue, id])
}

async function stretchLock(engine: QueueEngine, queue: QueueName, id: string): Promise<void> {
  if (engine.kind === 'redis') await (await redisOf(engine)).pexpire(lockKey(engine, queue, id), LONG_LOCK_MS)
  else {
    const until = Date.now() + LONG_LOCK_MS
    await database(engine, 'UPDATE job SET locked_until_ms = $3 WHERE queue = $1 AND id = $2', [queue, id, until])
  }
}

async function lockLeftMs(engine: QueueEngine, queue: QueueName, id: string): Promise<number> {
  if (engine.kind === 'redis') return await (await redisOf(engine)).pttl(lockKey(engine, queue, id))
  const rows = await database(engine, 'SELECT locked_until_ms AS until FROM job WHERE queue = $1 AND id = $2', [
    queue,
    id,
  ])
  return Number(rows[0]?.until) - Date.now()
}

function boardQueue(engine: QueueEngine, queue: QueueName): Queue {
  return engine.boardQueues()[QUEUE_NAMES.indexOf(queue)] as Queue
}

function lockKey(engine: QueueEngine, queue: QueueName, id: string): string {
  return `${boardQueue(engine, queue).toKey(id)}:lock`
}

async function redisOf(engine: QueueEngine): Promise<Redis> {
  return (await boardQueue(engine, 'submit').getBackend().client) as unknown as Redis
}

async function database(engine: QueueEngine, text: string, params: readonly unknown[]) {
  const backend = boardQueue(engine, 'submit').getBackend() as unknown as { connection: { pool: PglitePool } }
  const { rows } = await backend.connection.pool.query<Record<string, unknown>>(text, params)
  return rows
}
