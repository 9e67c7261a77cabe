import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AttestdError } from '../../../src/core/errors.js'
import { QUEUE_NAMES, type QueueEngine } from '../../../src/queue/queues.js'
import { openQuietEngine } from '../../support/quiet-engine.js'
import { folderForAll } from '../../support/temporary-folder.js'
import { startTestServer } from '../console-parts.js'

const PASSWORD = 'correct horse'
const basic = { authorization: `Basic ${Buffer.from(`attestd:${PASSWORD}`).toString('base64')}` }

/** `REDIS_URL` names a real server that tests may use; the embedded engine is always there. */
const engines = ['embedded:', ...(process.env.REDIS_URL ? [process.env.REDIS_URL] : [])]

describe.each(engines)('the board on %s', (url) => {
  const dataDir = folderForAll()
  let engine: QueueEngine

  beforeAll(async () => {
    engine = await openQuietEngine(url, dataDir, path.basename(dataDir))
    await engine.add(
      'analyze-image',
      'asset-waits',
      { asset: { id: 'asset-waits', title: 'A <b>waiting</b> one' } },
      { priority: 1 },
    )
    await failOneJob(engine)
  })
  afterAll(() => engine.close())

  async function openBoard(password?: string) {
    const { server, recorded } = await startTestServer({ password, boardQueues: engine.boardQueues() })
    const call = (route: string, method = 'GET') =>
      fetch(new URL(`/queues${route}`, server.url), { method, headers: password === undefined ? {} : basic })
    return { server, call, recorded }
  }

  it('serves a page that names no other site', async () => {
    const { call } = await openBoard()
    const answer = await call('/')
    const page = await answer.text()
    expect(answer.status).toBe(200)
    expect(page).toContain('attestd queues')
    expect(page).toContain('<base href="/queues/"')
    expect(page).not.toMatch(/(?:href|src)="(?:https?:)?\/\//)
    expect(answer.headers.get('content-security-policy')).toContain("script-src 'self';")
    for (const [, file] of page.matchAll(/(?:href|src)="(static\/[^"]+)"/g))
      expect((await call(`/${file}`)).status).toBe(200)
  })

  it('shows the queues with their jobs, and accepts no write without a password', async () => {
    const { call, recorded } = await openBoard()
    const { queues } = (await (
      await call('/api/queues?activeQueue=submit&status=failed&page=1&jobsPerPage=10')
    ).json()) as BoardAnswer
    expect(queues.map(({ name, readOnlyMode }) => [name, readOnlyMode])).toEqual(
      QUEUE_NAMES.map((name) => [expect.stringContaining(name), true]),
    )
    const submit = queues.at(-1)!
    expect(submit.counts.failed).toBe(1)
    expect(submit.jobs[0]).toMatchObject({
      id: 'asset-fails',
      failedReason: expect.stringContaining('score-conflict'),
    })
    expect((await call(`/api/queues/${queues.at(-1)!.name}/retry/failed`, 'PUT')).status).toBe(405)
    expect((await call(`/api/queues/${queues[0]!.name}/pause`, 'PUT')).status).toBe(405)
    expect((await call('/api/queues/pause', 'PUT')).status).toBe(405)
    expect(recorded).toEqual([])
    expect((await engine.counts('submit')).failed).toBe(1)
  })

  it('names a job by its asset, and states why nothing can be changed', async () => {
    const { call } = await openBoard()
    const { queues } = (await (
      await call('/api/queues?activeQueue=analyze-image&status=prioritized')
    ).json()) as BoardAnswer
    expect(queues[0]!.jobs.map(({ name }) => name)).toEqual(['A <b>waiting</b> one'])
    expect(queues[0]!.description).toContain('ATTESTD_HTTP_PASSWORD')
    const writable = await openBoard(PASSWORD)
    const { queues: open } = (await (await writable.call('/api/queues')).json()) as BoardAnswer
    expect(open[0]!.description).toBeUndefined()
  })

  it('reports at once that the queue is unreachable, to people as a page', async () => {
    const queue = () => Promise.reject(new AttestdError('queue-unreachable', 'Redis is gone.'))
    const { server } = await startTestServer({ checks: { queue } })
    const get = (route: string, accept: string) => fetch(`${server.url}/queues${route}`, { headers: { accept } })
    const page = await get('/queue/analyze', 'text/html,*/*')
    expect(page.status).toBe(503)
    expect(await page.text()).toContain('The queue does not answer')
    const answer = await get('/api/queues', 'application/json')
    expect([answer.status, await answer.json()]).toEqual([
      503,
      { error: { reason: 'queue-unreachable', message: 'Redis is gone.' }, message: 'Redis is gone.' },
    ])
  })

  it('shows queues that are paused', async () => {
    const queue = () => ({ ok: false, reason: 'queue-paused', message: 'Paused: analyze.' }) as const
    const { server } = await startTestServer({ checks: { queue } })
    expect((await fetch(`${server.url}/queues`)).status).toBe(200)
  })

  it('retries a failed job for a user with the password', async () => {
    const { server, call } = await openBoard(PASSWORD)
    const { queues } = (await (await call('/api/queues?activeQueue=submit&status=failed')).json()) as BoardAnswer
    const route = `/api/queues/${queues.at(-1)!.name}/retry/failed`
    const stranger = await fetch(new URL(`/queues${route}`, server.url), { method: 'PUT' })
    expect(stranger.status).toBe(401)
    expect((await engine.counts('submit')).failed).toBe(1)
    expect((await call(route, 'PUT')).status).toBe(200)
    expect(await engine.counts('submit')).toMatchObject({ failed: 0, waiting: 1 })
  })
})

interface BoardAnswer {
  queues: {
    name: string
    readOnlyMode: boolean
    counts: Record<string, number>
    description?: string
    jobs: { id: string; name: string; failedReason: string }[]
  }[]
}

/** Runs one job to a permanent failure and stops the worker again. */
async function failOneJob(engine: QueueEngine): Promise<void> {
  await engine.add('submit', 'asset-fails', { risk: 50 }, { priority: 1 })
  let onFailed = () => {}
  const failed = new Promise<void>((resolve) => {
    onFailed = resolve
  })
  const worker = await engine.work('submit', () => Promise.reject(new AttestdError('score-conflict')), {
    failed: onFailed,
  })
  await failed
  await worker.stop(5000)
}
