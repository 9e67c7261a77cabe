import fs from 'node:fs/promises'
import path from 'node:path'
import type { PgPool, Queue } from 'bullmq'
import { openQueue } from '../../src/app/open/open-queue.js'
import { loadSettings } from '../../src/config/load.js'
import { systemClock } from '../../src/core/clock.js'
import { type AnalyzeJob, priorityOf } from '../../src/pipeline/jobs.js'
import type { QueueEngine } from '../../src/queue/queues.js'
import type { Sandbox } from '../../src/sandbox/create-sandbox.js'
import { DaemonProcess } from '../support/daemon-process.js'
import { writeTinyPackage } from '../support/detector-package.js'
import { startRedisServer } from '../support/redis-server.js'
import { startSandbox } from '../support/sandbox.js'
import { startBenchDaemon } from './bench-daemon.js'
import { peakMb, processorMs, residentMb } from './processor-time.js'

/** Jobs that are being added at the same time. */
const LANES = 64
const LOOK_MS = 10

async function withQueue<T>(work: (queue: QueueEngine, url: string) => Promise<T>): Promise<T> {
  const redis = await startRedisServer()
  const { settings } = loadSettings({ env: { ATTESTD_QUEUE_URL: redis.url } })
  const queue = await openQueue(settings)
  try {
    return await work(queue, redis.url)
  } finally {
    await queue.close()
    await redis.stop()
  }
}

/** How soon a worker that is free takes an urgent job which was added last, and how fast jobs are added. */
export function measureUrgent(waiting: number): Promise<{ added: number; waiting: number; takenMs: number }> {
  return withQueue(async (queue) => {
    const started = performance.now()
    await inLanes(waiting, (index) =>
      queue.add('analyze-image', `standard-${index}`, { index }, { priority: priorityOf('standard') }),
    )
    const added = waiting / ((performance.now() - started) / 1000)
    const before = performance.now()
    await queue.add('analyze-image', 'urgent', {}, { priority: priorityOf('priority_5min') })
    const taken = await firstTaken(queue)
    const takenMs = performance.now() - before
    if (taken !== 'urgent') throw new Error(`${taken} was taken before the urgent job`)
    return { added, waiting, takenMs }
  })
}

function firstTaken(queue: QueueEngine): Promise<string> {
  return new Promise((resolve, reject) => {
    const take = async ({ id }: { id: string }) => {
      resolve(id)
      return { kind: 'done', result: null } as const
    }
    queue.work('analyze-image', take, {}).catch(reject)
  })
}

/** How long a daemon with the role intake takes until the queue holds what is open: at first, and after a restart. */
export function measureSnapshot(folder: string, assets: number) {
  return withQueue(async (queue, queueUrl) => {
    const sandbox = await startSandbox({ rateLimit: null, embeddedWallet: null })
    try {
      for (let index = 0; index < assets; index++)
        await sandbox.registerFile(`${index}.txt`, { content: Buffer.from(`text ${index}`), mediaType: 'text' })
      const newMs = await runIntake(folder, sandbox, queueUrl, queue, assets)
      const closed = sandbox.world.assets.all().filter((_asset, index) => index % 10 === 0)
      for (const { id } of closed) sandbox.world.assets.switch(id, 'closed')
      const knownMs = await runIntake(folder, sandbox, queueUrl, queue, assets - closed.length)
      return { newMs, knownMs, closed: closed.length }
    } finally {
      await sandbox.close()
    }
  })
}

/** @returns ms from the first list that the daemon asked for until `expected` jobs wait */
async function runIntake(folder: string, sandbox: Sandbox, queueUrl: string, queue: QueueEngine, expected: number) {
  await fs.mkdir(folder, { recursive: true })
  const lists = () =>
    sandbox.world.faults
      .counts()
      .filter(({ route }) => route === 'list')
      .reduce((sum, { count }) => sum + count, 0)
  const before = lists()
  const daemon = new DaemonProcess(
    {
      ATTESTD_SERVICE_URL: sandbox.url,
      ATTESTD_ACCESS_KEY: sandbox.attesterKey.accessKey,
      ATTESTD_SIGNING_SECRET: sandbox.attesterKey.signingSecret,
      ATTESTD_QUEUE_URL: queueUrl,
      ATTESTD_ROLES: 'intake',
      ATTESTD_HTTP_PORT: '0',
    },
    { dataDir: path.join(folder, 'data'), logFile: path.join(folder, 'daemon.log') },
  )
  // It is never ready, since nobody works on what it queues.
  while (daemon.running && lists() === before) await systemClock.sleep(LOOK_MS)
  const asked = performance.now()
  while (daemon.running && (await queue.counts('analyze-image')).waiting !== expected) await systemClock.sleep(LOOK_MS)
  if (!daemon.running) throw new Error(`the daemon ended:\n${daemon.output.slice(-2000)}`)
  const elapsedMs = performance.now() - asked
  await daemon.kill9()
  return elapsedMs
}

/** What a daemon costs that starts with so many jobs waiting. `readyMs` is the wall time, memory is MB. */
export interface WaitingCost {
  readonly readyMs: number
  readonly processorMs: number
  readonly residentMb: number
  readonly peakMb: number
}

/** Before memory is read, ms: intake is at it. */
const AT_WORK_MS = 20_000

/** Starts a daemon on a queue with so many jobs waiting. Its intake reads them all and drops them, since their assets have closed. */
export async function measureWaiting(
  folder: string,
  waiting: number,
  engine: 'embedded' | 'redis',
): Promise<WaitingCost> {
  const redis = engine === 'redis' ? await startRedisServer() : null
  const sandbox = await startSandbox({ rateLimit: null, embeddedWallet: null })
  try {
    const modelsDir = path.join(folder, 'models')
    await writeTinyPackage(modelsDir)
    const queueUrl = redis?.url ?? 'embedded:'
    await fillQueue(queueUrl, path.join(folder, 'data'), waiting)
    const started = performance.now()
    const daemon = await startBenchDaemon(sandbox, folder, {
      ATTESTD_QUEUE_URL: queueUrl,
      ATTESTD_MODELS_DIR: modelsDir,
      ATTESTD_DETECTOR_CAGE: 'off',
    })
    const [readyMs, ownMs] = [performance.now() - started, await processorMs(daemon.pid)]
    await systemClock.sleep(AT_WORK_MS)
    const cost = {
      readyMs,
      processorMs: ownMs,
      residentMb: await residentMb(daemon.pid),
      peakMb: await peakMb(daemon.pid),
    }
    daemon.kill('SIGTERM')
    await daemon.exited
    return cost
  } finally {
    await sandbox.close()
    await redis?.stop()
  }
}

async function fillQueue(queueUrl: string, dataDir: string, waiting: number): Promise<void> {
  await fs.mkdir(dataDir, { recursive: true })
  const { settings } = loadSettings({ env: { ATTESTD_QUEUE_URL: queueUrl, ATTESTD_DATA_DIR: dataDir } })
  const queue = await openQueue(settings)
  const add = (index: number) =>
    queue.add('analyze-image', `standard-${index}`, jobOf(index), { priority: priorityOf('standard') })
  try {
    if (queue.kind === 'redis') await inLanes(waiting, add)
    else if (waiting > 0) {
      await add(0)
      await multiply(queue, waiting)
    }
  } finally {
    await queue.close()
  }
}

function jobOf(index: number): AnalyzeJob {
  const [contentHash, uri] = [
    `0x${String(index).padStart(64, '0')}`,
    'ipfs://bafkreifzjut3te7nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e',
  ]
  const asset = {
    id: `standard-${index}`,
    title: `Picture ${index}`,
    contentHash,
    uri,
    mediaType: 'image',
    turnaround: 'standard',
  } as const
  return { asset, seenAt: Date.now(), unscoredAt: null }
}

/** Copies of the one job that waits: to add each by itself would take the embedded queue minutes. */
async function multiply(queue: QueueEngine, waiting: number): Promise<void> {
  const backend = (queue.boardQueues()[0] as Queue).getBackend()
  const { pool } = (backend as unknown as { connection: { pool: PgPool } }).connection
  await pool.query(
    `INSERT INTO job (queue, id, seq, name, state, data, opts, priority, max_attempts, added_at_ms)
     SELECT queue, 'standard-' || n, nextval('job_seq'), name, state, data, opts, priority, max_attempts, added_at_ms
       FROM job, generate_series(1, $1::int - 1) n`,
    [waiting],
  )
}

async function inLanes(count: number, work: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0
  const lane = async () => {
    for (let index = next++; index < count; index = next++) await work(index)
  }
  await Promise.all(Array.from({ length: LANES }, lane))
}
