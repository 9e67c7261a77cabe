import { once } from 'node:events'
import fs from 'node:fs/promises'
import net, { type AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { cheapChecks } from '../../../src/app/daemon/cheap-checks.js'
import { collectDepths } from '../../../src/app/daemon/collect-gauges.js'
import { controlOf } from '../../../src/app/daemon/control.js'
import { Loops } from '../../../src/app/daemon/loops.js'
import { reloadDetectors } from '../../../src/app/daemon/reload-detectors.js'
import { loadSettings } from '../../../src/config/load.js'
import { AttestdError } from '../../../src/core/errors.js'
import { silentLog } from '../../../src/core/log.js'
import type { MediaType } from '../../../src/core/media-types.js'
import { createMetrics } from '../../../src/observe/metrics/metrics.js'
import type { FailedJob, QueueEngine, QueueName } from '../../../src/queue/queues.js'
import { writeTinyPackage } from '../../support/detector-package.js'
import { ManualClock, settle } from '../../support/manual-clock.js'

const newMetrics = () => createMetrics({ clock: new ManualClock(), processMetrics: false })

describe('background loops', () => {
  function newLoops() {
    const stop = new AbortController()
    const clock = new ManualClock()
    const logged: object[] = []
    const loops = new Loops(stop.signal, clock, { ...silentLog, error: (facts) => void logged.push(facts) })
    const lost: Error[] = []
    void loops.lost.then((error) => lost.push(error))
    return { clock, logged, loops, stop, lost }
  }

  it('that fail lose the process, by name and reason', async () => {
    const { logged, loops } = newLoops()
    loops.keep('stream', Promise.reject(new AttestdError('queue-unreachable', 'gone')))
    expect(await loops.lost).toMatchObject({ reason: 'queue-unreachable', message: 'gone' })
    expect(logged).toMatchObject([{ loop: 'stream', reason: 'queue-unreachable' }])
  })

  it('that return too early lose it too', async () => {
    const { loops } = newLoops()
    loops.keep('list', Promise.resolve())
    expect(await loops.lost).toMatchObject({ reason: 'internal-error', message: 'it returned' })
  })

  it('that end once the process stops, however they end, lose nothing', async () => {
    const { logged, loops, lost, stop } = newLoops()
    stop.abort()
    loops.keep('stream', Promise.reject(new Error('aborted')))
    loops.keep('list', Promise.resolve())
    loops.lose(new Error('the queue closed'))
    await loops.ended(1000)
    await settle()
    expect([lost, logged]).toEqual([[], []])
  })

  it('are waited for so long and no longer', async () => {
    const { clock, loops } = newLoops()
    loops.keep('stuck', new Promise(() => {}))
    const over: string[] = []
    const ended = loops.ended(5000).then(() => over.push('over'))
    await clock.advance(4999)
    expect(over).toEqual([])
    await clock.advance(1)
    await ended
  })

  it('report the first loss alone', async () => {
    const { loops } = newLoops()
    loops.lose(new Error('first'))
    loops.lose(new Error('second'))
    expect((await loops.lost).message).toBe('first')
  })
})

describe('what ends a start early', () => {
  const settingsOf = (change: Record<string, string>) =>
    loadSettings({ env: { ATTESTD_HTTP_HOST: '127.0.0.1', ATTESTD_HTTP_PORT: '0', ...change } }).settings

  it('is a port that another process has, named', async ({ onTestFinished }) => {
    const server = net.createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    await expect(cheapChecks(settingsOf({ ATTESTD_HTTP_PORT: String(port) }))).rejects.toMatchObject({
      reason: 'port-in-use',
      message: expect.stringContaining(String(port)),
    })
  })

  it('is a detector that is not there, where this process analyzes', async ({ onTestFinished }) => {
    const models = await fs.mkdtemp(path.join(os.tmpdir(), 'attestd-cheap-'))
    onTestFinished(() => fs.rm(models, { recursive: true }))
    await writeTinyPackage(models)
    const of = (detectors: string, roles: string) =>
      cheapChecks(
        settingsOf({
          ATTESTD_MODELS_DIR: models,
          ATTESTD_DETECTORS: detectors,
          ATTESTD_ROLES: roles,
          ATTESTD_QUEUE_URL: 'redis://h',
        }),
      )
    await of('tiny-image', 'analyze')
    await of('absent', 'submit')
    await expect(of('absent', 'analyze')).rejects.toMatchObject({ reason: 'setting-invalid' })
  })

  it('leaves the port free', async () => {
    const settings = settingsOf({ ATTESTD_ROLES: 'submit', ATTESTD_QUEUE_URL: 'redis://h' })
    await cheapChecks(settings)
    await cheapChecks(settings)
  })
})

describe('the queue verbs of a daemon', () => {
  const job = (queue: QueueName, nth: number, data: unknown = { asset: { id: `asset ${nth}` } }): FailedJob => ({
    queue,
    id: `${queue}-${nth}`,
    reason: 'media-corrupt',
    message: 'm',
    attempts: 1,
    failedAt: nth,
    data,
  })

  /** Two queues of which one can be paused. */
  function newControl() {
    const calls: string[] = []
    const paused = new Set<QueueName>()
    const engine: Partial<QueueEngine> = {
      failed: async (queue, limit) => [job(queue, 1), job(queue, 2, { asset: 7 })].slice(0, limit),
      retry: async (queue, ids) => {
        calls.push(`retry ${queue} ${ids?.join() ?? 'all'}`)
        return ids?.length ?? 10
      },
      drain: async (queue) => {
        calls.push(`drain ${queue}`)
        return 5
      },
      pause: async (queue) => {
        await settle()
        paused.add(queue)
      },
      resume: async (queue) => {
        await settle()
        paused.delete(queue)
      },
      isPaused: async (queue) => paused.has(queue),
    }
    return { calls, control: controlOf(engine as QueueEngine) }
  }

  it('list failed jobs of both queues without their data, so many in all', async () => {
    const { control } = newControl()
    expect(await control.failed({ limit: 3 })).toEqual([
      {
        queue: 'analyze',
        id: 'analyze-1',
        reason: 'media-corrupt',
        message: 'm',
        attempts: 1,
        failedAt: 1,
        assetId: 'asset 1',
      },
      {
        queue: 'analyze',
        id: 'analyze-2',
        reason: 'media-corrupt',
        message: 'm',
        attempts: 1,
        failedAt: 2,
        assetId: null,
      },
      expect.objectContaining({ id: 'submit-1' }),
    ])
    expect((await control.failed({ queue: 'submit', limit: 9 })).map(({ id }) => id)).toEqual(['submit-1', 'submit-2'])
  })

  it('retry and drain one queue or both, and count all', async () => {
    const { calls, control } = newControl()
    expect(await control.retry({})).toBe(20)
    expect(await control.retry({ queue: 'submit', ids: ['a', 'b'] })).toBe(2)
    expect(await control.drain({ queue: 'analyze' })).toBe(5)
    expect(await control.drain({})).toBe(10)
    expect(calls).toEqual([
      'retry analyze all',
      'retry submit all',
      'retry submit a,b',
      'drain analyze',
      'drain analyze',
      'drain submit',
    ])
  })

  it('pause and resume say what is paused from then on', async () => {
    const { control } = newControl()
    expect(await control.pause({ queue: 'submit' })).toEqual(['submit'])
    expect(await control.pause({})).toEqual(['analyze', 'submit'])
    expect(await control.resume({ queue: 'submit' })).toEqual(['analyze'])
    expect(await control.resume({})).toEqual([])
  })
})

describe('a reload of detectors', () => {
  /** A host whose detectors score some media before and others afterwards. */
  function newHost(before: MediaType[], after: MediaType[] | Error) {
    const state = { scored: before }
    const host = {
      detectorFor: (type: MediaType) => (state.scored.includes(type) ? {} : null),
      reload: async () => {
        if (after instanceof Error) throw after
        state.scored = after
      },
    }
    return host as unknown as Parameters<typeof reloadDetectors>[0]
  }
  const exported = async (metrics: ReturnType<typeof newMetrics>) =>
    (await metrics.text()).split('\n').filter((line) => /^attestd_detector_reloads_total\{.*[1-9]$/.test(line))

  it('tries failed files again, and names the media that lost its last detector', async () => {
    const metrics = newMetrics()
    let retried = 0
    const host = newHost(['image', 'audio', 'text'], ['image', 'video_short'])
    const warned: object[] = []
    const log = { ...silentLog, warn: (facts: object) => void warned.push(facts) }
    const roles = { retryFailed: () => void retried++ }
    expect(await reloadDetectors(host, roles, { log, metrics })).toEqual({ lost: ['audio', 'text'] })
    expect(warned).toEqual([{ reason: 'detector-none', mediaTypes: ['audio', 'text'] }])
    expect(await reloadDetectors(newHost(['image'], ['image']), { retryFailed: () => {} }, { log, metrics })).toEqual({
      lost: [],
    })
    expect(warned).toHaveLength(1)
    expect(retried).toBe(1)
    expect(await exported(metrics)).toEqual(['attestd_detector_reloads_total{outcome="done"} 2'])
  })

  it('that fails tries nothing again, and is counted by its reason', async () => {
    const metrics = newMetrics()
    let retried = 0
    const host = newHost(['image'], new AttestdError('manifest-invalid', 'x'))
    const running = reloadDetectors(host, { retryFailed: () => void retried++ }, { log: silentLog, metrics })
    await expect(running).rejects.toMatchObject({ reason: 'manifest-invalid' })
    expect(retried).toBe(0)
    expect(await exported(metrics)).toEqual(['attestd_detector_reloads_total{outcome="manifest-invalid"} 1'])
  })
})

describe('the depth of queues', () => {
  it('is stated by state, and not at all while the queue is away', async () => {
    const metrics = newMetrics()
    const counts = async () => ({ waiting: 3, active: 1, delayed: 0, failed: 2, completed: 9 })
    const depths = async () =>
      (await metrics.text()).split('\n').filter((line) => line.startsWith('attestd_queue_depth{'))
    await collectDepths({ counts, ping: async () => {} }, metrics)
    expect(await depths()).toContain('attestd_queue_depth{queue="submit",state="failed"} 2')
    expect(await depths()).toHaveLength(10)
    const asked: string[] = []
    const away = {
      ping: () => Promise.reject(new AttestdError('queue-unreachable')),
      counts: async (queue: QueueName) => {
        asked.push(queue)
        return counts()
      },
    }
    await expect(collectDepths(away, metrics)).rejects.toMatchObject({ reason: 'queue-unreachable' })
    expect([await depths(), asked]).toEqual([[], []])
  })
})
