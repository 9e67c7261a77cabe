import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { callDaemon } from '../../src/app/running-daemon.js'
import { jobIdOf } from '../../src/core/text.js'
import { benchOfTest } from '../support/bench-of-test.js'
import type { DaemonProcess } from '../support/daemon-process.js'
import { writeTinyPackage } from '../support/detector-package.js'
import { findRedisServer } from '../support/redis-server.js'
import { TcpProxy } from '../support/tcp-proxy.js'

const PASSWORD = 'a-long-password'
/** Longer than what a daemon claims at the queue outlives it. */
const ASLEEP_MS = 16_000
/** How long the service takes for the question that comes before the last look at the job. */
const QUESTION_MS = 1000

async function change(daemon: DaemonProcess, what: 'pause' | 'resume'): Promise<void> {
  const request = { method: 'POST', path: `/control/${what}`, body: { queue: 'submit' }, answer: z.unknown() } as const
  await callDaemon(await daemon.serving(), request)
}

async function decide(daemon: DaemonProcess, assetId: string, by: string, risk: string) {
  const { url } = await daemon.serving()
  const answer = await fetch(new URL(`/review/${jobIdOf(assetId)}`, url), {
    method: 'POST',
    redirect: 'manual',
    headers: { authorization: `Basic ${Buffer.from(`${by}:${PASSWORD}`).toString('base64')}`, origin: url },
    body: new URLSearchParams({ risk, note: '' }),
  })
  return { status: answer.status, text: await answer.text() }
}

it.skipIf(findRedisServer() === null)(
  'a decision of a daemon that was suspended (SIGSTOP) after reading is refused, and its person learns which one counts',
  async (context) => {
    const bench = await benchOfTest({}, context)
    await writeTinyPackage(path.join(bench.folder, 'models'), { manifest: { decisionBand: { low: 0, high: 1 } } })
    const redis = await bench.redis()
    const line = await TcpProxy.to(redis.port)
    context.onTestFinished(() => line.cut())
    const review = { ATTESTD_UNSURE_POLICY: 'review', ATTESTD_HTTP_PASSWORD: PASSWORD }
    const first = bench.start(
      { ...review, ATTESTD_QUEUE_URL: `redis://127.0.0.1:${line.port}`, ATTESTD_SERVICE_TIMEOUT_MS: '60000' },
      'first',
    )
    const other = bench.start({ ...review, ATTESTD_QUEUE_URL: redis.url }, 'other')
    await Promise.all([first.ready(), other.ready()])
    const asset = await bench.register('suspended')
    await bench.until('an asset that waits', async () => (await other.metric('attestd_review_jobs')) === 1)
    // What is decided stays in the queue, where it could be replaced.
    await change(other, 'pause')

    bench.sandbox.world.faults.setPlan({ rules: [{ route: 'one', fault: 'slow', ms: QUESTION_MS }] })
    const before = bench.requests('one')
    const late = decide(first, asset.id, 'ada', '10')
    await bench.until('the question', () => bench.requests('one') > before)
    line.hold(jobIdOf(asset.id))
    await bench.until('a look', () => line.passed)
    await sleep(2 * QUESTION_MS)
    first.signal('SIGSTOP')
    bench.sandbox.world.faults.setPlan({})
    await sleep(ASLEEP_MS)
    expect(await decide(other, asset.id, 'bob', '90')).toMatchObject({ status: 303 })
    line.release()
    first.signal('SIGCONT')
    const refused = await late
    expect(refused.text).toContain('bob decided 90')
    expect(refused.status).toBe(409)

    await change(other, 'resume')
    await bench.expectExactlyOneEach()
    expect(bench.sandbox.scores()).toMatchObject([{ deepfakeRiskScore: 90 }])
  },
)
