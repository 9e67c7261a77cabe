import { execFile, spawnSync } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { DaemonBench } from '../support/daemon-bench.js'
import type { DaemonProcess } from '../support/daemon-process.js'
import { findRedisServer } from '../support/redis-server.js'

// The media cache of one daemon is a file system of its own, in a mount namespace that this user may change.
const MOUNT = 'mkdir -p "$0" && mount -t tmpfs -o size=64m attestd "$0" && exec "$@"'
const inside = ['unshare', '--user', '--map-root-user', '--mount']
const canMount = spawnSync(inside[0]!, [...inside.slice(1), 'mount', '-t', 'tmpfs', 'attestd', '/tmp']).status === 0

/** Runs a shell command where the daemon runs; `$0` is its cache. */
async function beside({ pid }: DaemonProcess, command: string, cache: string): Promise<void> {
  const place = ['--target', String(pid), '--user', '--mount', '--preserve-credentials']
  await promisify(execFile)('nsenter', [...place, 'sh', '-c', command, cache])
}

const ANALYZE = { ATTESTD_ROLES: 'analyze' }

describe.skipIf(findRedisServer() === null || !canMount)('a worker whose disk is', () => {
  it.each([
    ['read-only', 'data-dir-unusable', 'mount -o remount,ro "$0"', 'mount -o remount,rw "$0"'],
    ['full', 'disk-full', 'head -c 128m /dev/zero >"$0/filler" || true', 'rm "$0/filler"'],
  ])('%s pauses by name, leaves the work to others, and resumes when it can write', async (_, reason, harm, heal) => {
    const bench = await DaemonBench.create()
    onTestFinished(() => bench.dispose())
    const redis = { ATTESTD_QUEUE_URL: (await bench.redis()).url }
    const cache = path.join(bench.folder, 'broken', 'cache')
    const front = bench.startHere({ ...redis, ATTESTD_ROLES: 'intake,submit' }, 'front')
    const broken = bench.start({ ...redis, ...ANALYZE }, 'broken', [...inside, 'sh', '-c', MOUNT, cache])
    await Promise.all([front.ready(), broken.ready()])
    await beside(broken, harm, cache)
    await bench.registerMany(16, 'disk', { turnaround: 'priority_5min' })
    const named = () => broken.metric('attestd_not_ready', 'check="disk"', `reason="${reason}"`)
    await bench.until('a disk that is named', async () => (await named()) === 1)
    expect((await broken.get('/readyz')).text).toContain(reason)
    const isIdle = async () => (await front.queues()).every(({ active }) => active === 0)
    await bench.until('no job under way', isIdle)
    const failures = () => broken.metric('attestd_retries_total', 'reason="media-cache-failed"')
    const before = await failures()

    const healthy = bench.startHere({ ...redis, ...ANALYZE }, 'healthy')
    await healthy.ready()
    await bench.allScored()
    expect(await failures()).toBe(before)
    const lines = broken.log.filter(({ msg, check }) => msg === 'readiness check failed' && check === 'disk')
    expect(lines).toMatchObject([{ reason }])

    await healthy.end()
    await beside(broken, heal, cache)
    await bench.register('healed', { turnaround: 'priority_5min' })
    await bench.expectExactlyOneEach()
    await broken.ready()
  })
})
