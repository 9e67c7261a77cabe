import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { Worker } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'
import type { Queue } from 'bullmq'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { systemClock } from '../../src/core/clock.js'
import type { PglitePool } from '../../src/queue/embedded/pglite-pool.js'
import { StatementCache } from '../../src/queue/embedded/statement-cache.js'
import { openQueueEngine } from '../../src/queue/engine.js'
import { MAX_EVENTS } from '../../src/queue/engine-options.js'
import type { QueueEngine, QueueName } from '../../src/queue/queues.js'
import { KeptLog } from '../support/kept-log.js'
import { folderForAll } from '../support/temporary-folder.js'
import { withReason } from '../support/with-reason.js'
import { engineContract } from './engine-contract.js'
import { fleetContract } from './fleet-contract.js'
import { kindsContract } from './kinds-contract.js'
import { EngineProcess, EventLog, engineOptions } from './queue-support.js'
import { replaceContract } from './replace-contract.js'

const root = folderForAll()
/** A finished database that tests copy, since making one takes seconds. */
let template: string
let engine: QueueEngine
const reported = new EventLog()

beforeAll(async () => {
  template = path.join(root, 'template')
  // What a kill during the very first start leaves behind.
  await mkdir(path.join(template, 'queue', 'pg.new'), { recursive: true })
  await writeFile(path.join(template, 'queue', 'pg.new', 'PG_VERSION'), '17\n')
  await (await openQueueEngine(engineOptions('embedded:', template))).close()
  const onTrouble = reported.trouble
  engine = await openQueueEngine(engineOptions(`embedded:${await copyTemplate('shared')}`, root, { onTrouble }))
})

afterAll(async () => {
  await engine?.close()
})

async function copyTemplate(name: string): Promise<string> {
  const dir = path.join(root, name)
  await cp(path.join(template, 'queue'), dir, { recursive: true })
  return dir
}

function poolOf(opened: QueueEngine): PglitePool {
  const backend = (opened.boardQueues()[0] as Queue).getBackend()
  return (backend as unknown as { connection: { pool: PglitePool } }).connection.pool
}

describe('embedded engine', () => {
  engineContract(() => engine, reported)
  fleetContract(() => engine)
  kindsContract(() => engine)
  replaceContract(() => engine)

  it('adds a job in one statement, as BullMQ adds it', async () => {
    const board = engine.boardQueues()[0] as Queue
    const { name } = board as { name: QueueName }
    const pool = poolOf(engine)
    const query = vi.spyOn(pool, 'query')
    await engine.add(name, 'ours', { n: 1 }, { priority: 7 })
    expect(query).toHaveBeenCalledTimes(1)
    query.mockRestore()
    await board.add(name, { n: 1 }, { ...(await board.getJob('ours'))!.opts, jobId: 'theirs' })
    const { rows } = await pool.query("SELECT * FROM job WHERE id IN ('ours', 'theirs') ORDER BY seq", [])
    const [ours, theirs] = rows.map(({ id, opts, ...row }) => {
      expect(opts.jobId).toBe(id)
      return { ...row, seq: 0, added_at_ms: 0, opts: { ...opts, jobId: '' } }
    })
    expect(ours).toEqual(theirs)
    await engine.drain(name)
  })

  it('reads once from the database whether a queue is paused, and again when the board has paused or resumed it', async () => {
    const own = await openQueueEngine(engineOptions(`embedded:${await copyTemplate('paused')}`, root))
    onTestFinished(() => own.close())
    const board = own.boardQueues()[0] as Queue
    const { name } = board as { name: QueueName }
    const query = vi.spyOn(poolOf(own), 'query')
    const answers = async () => [await own.isPaused(name), await own.isPaused(name), await own.isPaused(name)]
    expect(await answers()).toEqual([false, false, false])
    expect(query).not.toHaveBeenCalled()
    await board.pause()
    query.mockClear()
    expect(await answers()).toEqual([true, true, true])
    expect(query).toHaveBeenCalledOnce()
    await board.resume()
    expect(await answers()).toEqual([false, false, false])
  })

  it('asks the database once for simultaneous pings', async () => {
    const query = vi.spyOn(poolOf(engine), 'query')
    const asked = () => query.mock.calls.filter(([text]) => text === 'SELECT 1').length
    onTestFinished(() => query.mockRestore())
    await Promise.all([engine.ping(), engine.ping()])
    expect(asked()).toBe(1)
    await engine.ping()
    expect(asked()).toBe(2)
  })

  it('sends statements that arrive meanwhile in one message, and answers each separately', async () => {
    const pool = poolOf(engine)
    await pool.query('SELECT 1', [])
    const post = vi.spyOn(Worker.prototype, 'postMessage')
    onTestFinished(() => post.mockRestore())
    const texts = ['SELECT 0 AS n', 'SELECT 1 AS n', 'SELECT n FROM nowhere', 'SELECT 2 AS n']
    const answers = await Promise.allSettled(texts.map((text) => pool.query(text, [])))
    expect(post).toHaveBeenCalledTimes(2)
    const found = answers.map((each) => (each.status === 'fulfilled' ? each.value.rows : each.reason.code))
    expect(found).toEqual([[{ n: 0 }], [{ n: 1 }], '42P01', [{ n: 2 }]])
  })

  it('vacuums every table, and analyzes those of jobs only', async () => {
    const pool = poolOf(engine)
    await pool.maintain()
    const named = (column: string) => `SELECT relname AS name FROM pg_stat_all_tables WHERE ${column} > 0 ORDER BY 1`
    expect((await pool.query(named('analyze_count'), [])).rows).toEqual([{ name: 'event' }, { name: 'job' }])
    const names = [{ name: 'event' }, { name: 'job' }, { name: 'meta' }, { name: 'pg_statistic' }]
    expect((await pool.query(named('vacuum_count'), [])).rows).toEqual(expect.arrayContaining(names))
  })

  it('leaves a released lock and no unfinished database behind', async () => {
    expect(await readdir(path.join(template, 'queue'))).toEqual(['lock.1', 'pg'])
    expect(await readFile(path.join(template, 'queue', 'lock.1'), 'utf8')).toBe('')
  })

  it('refuses a second process, and a second opener in this process, by the name of the first', async () => {
    const opening = openQueueEngine(engineOptions(`embedded:${path.join(root, 'shared')}`, root))
    await expect(opening).rejects.toThrow(withReason('queue-in-use', /is already open in/))
  })

  it('loses no job that was added before a kill, keeps what was saved and requeues its jobs at once', async () => {
    const url = `embedded:${await copyTemplate('killed')}`
    // A lock of ten minutes: only recovery at start can give the job back in time.
    const child = new EngineProcess({ url, dataDir: root, lockMs: 600_000, mode: 'flood' })
    try {
      await child.line('added 60')
      await child.line('holding flood-0')
      await expect(openQueueEngine(engineOptions(url, root))).rejects.toMatchObject({ reason: 'queue-in-use' })
    } finally {
      await child.kill9()
    }
    const reported = child.lines.filter((line) => line.startsWith('added')).length

    const reopened = await openQueueEngine(engineOptions(url, root))
    onTestFinished(() => reopened.close())
    const { waiting, active } = await reopened.counts('analyze-image')
    expect(waiting).toBeGreaterThanOrEqual(reported)
    expect(active).toBe(0)
    const events = new EventLog()
    await reopened.work('analyze-image', async (run) => ({ kind: 'done', result: run.data }), events)
    const [done] = await events.until('completed', ({ id }) => id === 'flood-0')
    expect(done).toMatchObject({ attempt: 1, result: { i: 0, step: 'sent' } })
  })

  it('retries at its start what an earlier process delayed while the wall clock was a day ahead', async () => {
    const url = `embedded:${await copyTemplate('ahead')}`
    const wall = Date.now
    const ahead = vi.spyOn(Date, 'now').mockImplementation(() => wall() + 86_400_000)
    onTestFinished(() => ahead.mockRestore())
    const earlier = await openQueueEngine(engineOptions(url, root))
    await earlier.add('submit', 'delayed', {}, { priority: 1 })
    const events = new EventLog()
    await earlier.work('submit', async () => ({ kind: 'hold', reason: 'clock-untrusted', delayMs: 1 }), events)
    await events.until('held')
    await earlier.close()
    ahead.mockRestore()
    const reopened = await openQueueEngine(engineOptions(url, root))
    onTestFinished(() => reopened.close())
    await reopened.work('submit', async () => ({ kind: 'done', result: null }), events)
    await events.until('completed')
  })

  describe('opened on the data of an earlier process', () => {
    const functions = `SELECT md5(string_agg(pg_get_functiondef(p.oid), '' ORDER BY p.oid::regprocedure::text)) AS all,
      count(*)::int AS n FROM pg_proc p WHERE pronamespace = 'bullmq'::regnamespace`
    let published: unknown
    let reopened: QueueEngine
    beforeAll(async () => {
      const url = `embedded:${await copyTemplate('left')}`
      const earlier = await openQueueEngine(engineOptions(url, root, { fsync: true }))
      const pool = poolOf(earlier)
      published = (await pool.query(functions, [])).rows
      await earlier.add('analyze-image', 'killer', {}, { priority: 1 })
      await pool.query(`UPDATE job SET state = 'active', stalled_count = 10, lock_token = 'x'`, [])
      await earlier.add('analyze-text', 'kept', {}, { priority: 1 })
      await pool.maintain()
      // Two of the functions that a release before 1.0.0 overwrote.
      await pool.query(`
        CREATE OR REPLACE FUNCTION publish_event(p_queue text, p_event text, p_data jsonb) RETURNS bigint
        LANGUAGE sql AS 'SELECT 0::bigint';
        CREATE OR REPLACE FUNCTION apply_retention(p_queue text, p_id text, p_state job_state, p_now bigint,
          p_remove_all boolean, p_keep_age bigint, p_keep_count integer) RETURNS void LANGUAGE sql AS ''`)
      await earlier.close()
      reopened = await openQueueEngine(engineOptions(url, root))
    })
    afterAll(() => reopened?.close())

    it('fails a job that repeatedly kills its process', async () => {
      const events = new EventLog()
      await reopened.work('analyze-image', async () => ({ kind: 'done', result: null }), events)
      const [failed] = await events.until('failed')
      expect(failed).toMatchObject({ id: 'killer', reason: 'job-stalled', final: true })
      expect((await reopened.failed('analyze-image', 1))[0]).toMatchObject({ id: 'killer', reason: 'job-stalled' })
    })

    it("runs BullMQ's own functions and, through fsync and maintenance, keeps its jobs", async () => {
      expect((await poolOf(reopened).query(functions, [])).rows).toEqual(published)
      const events = new EventLog()
      await reopened.work('analyze-text', async () => ({ kind: 'done', result: null }), events)
      expect(await events.until('completed')).toMatchObject([{ id: 'kept' }])
    })
  })

  it('keeps only slightly more completed jobs than configured, and few events', async () => {
    const jobs = 250
    const count = 20
    const kept = { ageMs: 3_600_000, count }
    const url = `embedded:${await copyTemplate('retained')}`
    const opened = await openQueueEngine(engineOptions(url, root, { retention: { completed: kept, failed: kept } }))
    onTestFinished(() => opened.close())
    for (let n = 0; n < jobs; n++) await opened.add('analyze-image', `job-${n}`, {}, { priority: 1 })
    const ended = new EventLog()
    await opened.work('analyze-image', async () => ({ kind: 'done', result: null }), ended)
    await ended.until('completed', () => true, jobs)
    const left = (await opened.counts('analyze-image')).completed
    expect(left).toBeGreaterThanOrEqual(count)
    expect(left).toBeLessThanOrEqual(count + 101)
    const { rows } = await poolOf(opened).query<{ n: number }>('SELECT count(*)::int AS n FROM event', [])
    expect(rows[0]?.n).toBeLessThan(MAX_EVENTS + 300)
  })

  it('checks once a minute, at the end of a new job, for completed jobs past their age', async () => {
    const [kept, hour] = [{ ageMs: 3_600_000, count: 1000 }, 3_600_000]
    let aheadMs = 0
    const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + aheadMs }
    const url = `embedded:${await copyTemplate('aged')}`
    const retention = { completed: kept, failed: kept }
    const opened = await openQueueEngine(engineOptions(url, root, { retention, clock }))
    onTestFinished(() => opened.close())
    const [ended, pool] = [new EventLog(), poolOf(opened)]
    await opened.work('analyze-image', async () => ({ kind: 'done', result: null }), ended)
    const run = async (id: string) => {
      expect(await opened.add('analyze-image', id, {}, { priority: 1 })).toEqual({ added: true })
      await ended.until('completed', (event) => event.id === id)
    }
    const left = async () => {
      const { rows } = await pool.query<{ id: string }>('SELECT id FROM job ORDER BY seq', [])
      return rows.map(({ id }) => id)
    }
    await run('counted')
    await run('swept')
    await pool.query('UPDATE job SET finished_at_ms = finished_at_ms - $1', [2 * hour])
    await run('same minute')
    expect(await left()).toEqual(['counted', 'swept', 'same minute'])
    aheadMs += 60_000
    expect(await opened.add('analyze-image', 'same minute', {}, { priority: 1 })).toEqual({ added: false })
    await run('next minute')
    expect(await left()).toEqual(['same minute', 'next minute'])
  })

  it('reports each failure, also without a worker, and logs one line of it', async () => {
    const [log, own] = [new KeptLog(), new EventLog()]
    const more = { onTrouble: own.trouble, log }
    const opened = await openQueueEngine(engineOptions(`embedded:${await copyTemplate('troubled')}`, root, more))
    for (let n = 0; n < 5; n++) poolOf(opened).emit('error', new Error('odd'))
    expect(own.of('trouble').length).toBeGreaterThanOrEqual(5)
    expect(log.lines).toMatchObject([{ level: 'warn', reason: 'internal-error', queue: null, detail: 'odd' }])
    await opened.close()
  })

  it('reports its loss when the database thread dies, and fails calls by name', async () => {
    const opened = await openQueueEngine(engineOptions(`embedded:${await copyTemplate('lost')}`, root))
    const worker = await opened.work('analyze-image', async () => ({ kind: 'done', result: null }), {})
    await poolOf(opened).kill()
    expect(await opened.lost).toBeInstanceOf(Error)
    await expect(opened.ping()).rejects.toMatchObject({ reason: 'queue-unreachable' })
    await expect(opened.add('analyze-image', 'x', {}, { priority: 1 })).rejects.toMatchObject({
      reason: 'queue-unreachable',
    })
    await worker.stop(100)
    await opened.close()
  })

  it('stops when its directory is removed', async () => {
    const dir = await copyTemplate('robbed')
    const opened = await openQueueEngine(engineOptions(`embedded:${dir}`, root))
    for (const name of await readdir(dir)) if (name.startsWith('lock.')) await rm(path.join(dir, name))
    expect((await opened.lost).message).toMatch(/taken away/)
    await expect(opened.ping()).rejects.toMatchObject({ reason: 'queue-unreachable' })
    await opened.close()
  })

  it('names an unusable data directory', async () => {
    await writeFile(path.join(root, 'file'), '')
    const opening = openQueueEngine(engineOptions(`embedded:${path.join(root, 'file', 'sub')}`, root))
    await expect(opening).rejects.toMatchObject({ reason: 'data-dir-unusable' })
  })

  it('opens what a kill left between creating and writing the lock file of PostgreSQL', async () => {
    const dir = await copyTemplate('half-locked')
    await writeFile(path.join(dir, 'pg', 'postmaster.pid'), '')
    const opened = await openQueueEngine(engineOptions(`embedded:${dir}`, root))
    await expect(opened.ping()).resolves.toBeUndefined()
    await opened.close()
  })

  it("names a damaged database in PostgreSQL's words and releases the lock", async () => {
    const dir = await copyTemplate('damaged')
    await writeFile(path.join(dir, 'pg', 'PG_VERSION'), '1\n')
    const opening = openQueueEngine(engineOptions(`embedded:${dir}`, root))
    await expect(opening).rejects.toThrow(
      withReason('data-dir-unusable', /database files are incompatible with server/),
    )
    expect(await readFile(path.join(dir, 'lock.2'), 'utf8')).toBe('')
  })
})

describe('statement cache', () => {
  let db: PGlite

  beforeAll(async () => {
    db = await PGlite.create(path.join(await copyTemplate('statements'), 'pg'))
    await db.exec('CREATE TABLE t (id int PRIMARY KEY, doc jsonb, tags text[])')
  })

  afterEach(() => db.exec('DEALLOCATE ALL'))
  afterAll(() => db.close())

  it('passes values of all types that the queue uses', async () => {
    const cache = new StatementCache(db)
    const insert = 'INSERT INTO t VALUES ($1, $2, $3)'
    expect(await cache.run(insert, [1, '{"a": 1}', ['x', 'y']])).toMatchObject({ rowCount: 1 })
    expect(await cache.run(insert, [2, null, undefined])).toMatchObject({ rowCount: 1 })
    const { rows } = await cache.run('SELECT * FROM t WHERE id = ANY($1) ORDER BY id', [[1, 2]])
    expect(rows).toEqual([
      { id: 1, doc: { a: 1 }, tags: ['x', 'y'] },
      { id: 2, doc: null, tags: null },
    ])
  })

  it('continues after a statement that fails, at parse or at run', async () => {
    const cache = new StatementCache(db)
    await expect(cache.run('SELECT nonsense FROM nowhere', [])).rejects.toMatchObject({ code: '42P01' })
    await expect(cache.run('INSERT INTO t (id) VALUES ($1)', [1])).rejects.toMatchObject({ code: '23505' })
    await expect(cache.run('SELECT $1::bigint AS n', [1.5])).rejects.toMatchObject({ code: '22P02' })
    expect((await cache.run('SELECT $1::text AS t', ['ok'])).rows).toEqual([{ t: 'ok' }])
  })
})
