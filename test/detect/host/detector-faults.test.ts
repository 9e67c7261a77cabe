import { type ChildProcess, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import fs from 'node:fs/promises'
import path from 'node:path'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { packagePath } from '../../../src/core/files.js'
import { silentLog } from '../../../src/core/log.js'
import { DetectorProcess } from '../../../src/detect/host/detector-process.js'
import { loadPackage } from '../../../src/detect/package/package-loader.js'
import { DetectorBench, detectorChildren, hasProc, isRunning, untilGone } from '../../support/detector-bench.js'
import { noise, plain } from '../../support/detector-images.js'
import { writeTinyPackage } from '../../support/detector-package.js'
import { hugeNumberStore, webpWithStore } from '../../support/hostile-credentials.js'
import { ManualClock } from '../../support/manual-clock.js'
import { writeModulePackage } from '../../support/other-packages.js'
import { withReason } from '../../support/with-reason.js'

const image = (file: string) => ({ file, mediaType: 'image' as const })

/** 64 Mpx that take over a second to decode and several hundred MB. */
let heavy: Buffer
let light: Buffer
beforeAll(async () => {
  heavy = await plain('#345', 6900, 6900).webp({ effort: 0 }).toBuffer()
  light = await noise().jpeg().toBuffer()
})

/** A detector that keeps 500 MB over a text that begins so. */
const GROWING = `
import fs from 'node:fs/promises'
const kept = []
export const createDetector = () => ({
  async measure(file) {
    if ((await fs.readFile(file, 'utf8')).startsWith('large')) kept.push(Buffer.alloc(500_000_000, 1))
    return { logit: 3 }
  },
})`

const bench = DetectorBench.forEach()
beforeEach(async () => {
  await writeTinyPackage(bench.modelsDir)
})

describe('a process that dies in a job', () => {
  it('fails its own job by name, and all others get their scores', async () => {
    const host = await bench.start({ workers: 2 })
    const poison = await bench.write('poison', heavy)
    const good = await bench.write('good', light)
    const expected = (await host.detect(image(good))).rawScore
    bench.once('job-started', ({ pid }) => process.kill(pid, 'SIGSEGV'))
    const [bad, ...others] = await Promise.allSettled(
      [poison, ...Array.from({ length: 12 }, () => good)].map((file) => host.detect(image(file))),
    )
    expect(bad).toMatchObject({
      status: 'rejected',
      reason: { reason: 'detector-crashed', facts: { exit: 'SIGSEGV' } },
    })
    expect(others.map((each) => each.status === 'fulfilled' && each.value.rawScore)).toEqual(others.map(() => expected))
    expect(bench.all('child-stopped').map(({ cause }) => cause)).toEqual(['crashed'])
  })

  it('is replaced when it died idle', async () => {
    const facts: unknown[] = []
    const host = await bench.start({ log: { ...silentLog, warn: (said) => facts.push(said) } })
    const [first] = bench.all('child-started')
    const stopped = bench.next('child-stopped')
    process.kill(first?.pid as number, 'SIGKILL')
    expect(await stopped).toMatchObject({ cause: 'killed', pid: first?.pid })
    // The daemon's own pid is in each line: a second one would make two of one key.
    expect(facts).toMatchObject([{ detectorPid: first?.pid, cause: 'killed' }])
    await expect(host.detect(image(await bench.write('good', light)))).resolves.toMatchObject({
      unsure: expect.any(Boolean),
    })
  })
})

it('a process killed from outside is no fault of the file', async () => {
  const host = await bench.start()
  bench.once('job-started', ({ pid }) => process.kill(pid, 'SIGKILL'))
  await expect(host.detect(image(await bench.write('heavy', heavy)))).rejects.toMatchObject({
    reason: 'detector-killed',
    kind: 'retry',
    facts: { exit: 'SIGKILL' },
  })
  expect(bench.all('child-stopped').map(({ cause }) => cause)).toEqual(['killed'])
})

describe('limits', () => {
  it('a file that takes too long ends its process', async () => {
    const clock = new ManualClock()
    const host = await bench.start({ clock, timeoutMs: 3_000 })
    const started = bench.next('job-started')
    const work = host.detect(image(await bench.write('heavy', heavy))).catch((error: unknown) => error)
    const { pid } = await started
    const stopped = bench.next('child-stopped')
    await clock.advance(3_000)
    expect(await work).toMatchObject({ reason: 'detector-timeout', facts: { limitMs: 3_000 } })
    expect(await stopped).toEqual({ type: 'child-stopped', pid, cause: 'timeout' })
    expect(await isRunning(pid)).toBe(false)
  })

  it('a heat map may take ten times as long', async () => {
    const clock = new ManualClock()
    const packages = [await loadPackage(path.join(bench.modelsDir, 'tiny-image'))]
    const options = { packages, ffmpeg: null, timeoutMs: 3_000, memoryBytes: 2 ** 31, clock }
    const child = await DetectorProcess.start(options, new AbortController().signal)
    const out = path.join(bench.folder, 'map.png')
    const job = { detectorId: 'tiny-image', mediaType: 'image' as const, file: await bench.write('heavy', heavy), out }
    const work = child.show(job).catch((error: unknown) => error)
    await clock.advance(29_999)
    expect(child.alive).toBe(true)
    await clock.advance(1)
    expect(await work).toMatchObject({ reason: 'detector-timeout', facts: { limitMs: 30_000 } })
    await child.ended
  })

  it.skipIf(!hasProc)('a file that takes too much memory ends its process', async () => {
    const host = await bench.start({ memoryMb: 260 })
    await expect(host.detect(image(await bench.write('heavy', heavy)))).rejects.toThrow(
      withReason('detector-out-of-memory'),
    )
    await expect(host.detect(image(await bench.write('good', light)))).resolves.toMatchObject({
      detectorVersion: '1.0.0',
    })
    expect(bench.all('child-stopped').map(({ cause }) => cause)).toEqual(['memory'])
  })

  it('a process that stays large after a job is replaced, and the job keeps its score', async () => {
    // This clock stands still, so the memory is not read while the job runs, only after it.
    const clock = new ManualClock()
    await writeModulePackage(bench.modelsDir, { 'main.mjs': GROWING })
    const host = await bench.start({ clock, memoryMb: 400 })
    const stopped = bench.next('child-stopped')
    const file = await bench.write('large.txt', 'large'.repeat(100))
    await expect(host.detect({ file, mediaType: 'text' })).resolves.toMatchObject({ rawScore: 3 })
    expect(await stopped).toMatchObject({ cause: 'memory' })
    await clock.untilSleeping()
    await clock.advance(0)
    await expect(host.probe()).resolves.toBeUndefined()
    expect(bench.all('child-started')).toHaveLength(2)
  })

  it('a process is replaced after its number of files, and the new one is warm before the old one ends', async () => {
    const host = await bench.start({ jobsPerChild: 3 })
    const good = await bench.write('good', light)
    const [first] = bench.all('child-started')
    const successor = bench.next('child-started')
    const stopped = bench.next('child-stopped')
    for (let job = 0; job < 3; job++) await host.detect(image(good))
    expect(host.state().ready).toBe(1)
    const next = await successor
    expect(await stopped).toEqual({ type: 'child-stopped', pid: first?.pid, cause: 'jobs' })
    expect(bench.events.indexOf(next)).toBeLessThan(bench.events.findIndex(({ type }) => type === 'child-stopped'))
    await host.detect(image(good))
    expect(bench.all('job-started').at(-1)?.pid).toBe(next.pid)
  })

  it('many files over many replacements lose nothing', async () => {
    const host = await bench.start({ jobsPerChild: 2, workers: 2 })
    const good = await bench.write('good', light)
    const expected = (await host.detect(image(good))).rawScore
    for (let round = 0; round < 2; round++) {
      const renewed = bench.next('child-started')
      const scores = await Promise.all(Array.from({ length: 6 }, () => host.detect(image(good))))
      expect(scores.map(({ rawScore }) => rawScore)).toEqual(scores.map(() => expected))
      await renewed
    }
    expect(host.state().ready).toBe(2)
  })
})

describe('metadata that takes minutes to read', () => {
  const hostile = async () =>
    bench.write('number.webp', webpWithStore(await noise().webp().toBuffer(), hugeNumberStore(512 * 1024)))

  it('costs the evidence, not the score, and the process continues', async () => {
    const host = await bench.start()
    const detection = await host.detect(image(await hostile()))
    expect(detection.notes).toMatch(/what it states about itself could not be read$/)
    expect(detection).toMatchObject({ detectorId: 'tiny-image', risk: expect.any(Number), evidence: [] })
    const next = await host.detect(image(await bench.write('good', light)))
    expect(next.notes).not.toMatch(/could not be read/)
    expect(bench.all('child-stopped')).toEqual([])
  })

  it('costs no score either where the process has to be ended for it', async () => {
    const host = await bench.start({ timeoutMs: 4_000 })
    const detection = await host.detect(image(await hostile()))
    expect(detection.notes).toMatch(/what it states about itself could not be read$/)
    await expect(host.detect(image(await bench.write('good', light)))).resolves.toMatchObject({ evidence: [] })
    expect(bench.all('child-stopped')).toMatchObject([{ cause: 'timeout' }])
  })
})

describe('processes that cannot be started', () => {
  it.skipIf(!hasProc)('end the start with a clear error when they die repeatedly', async () => {
    const killer = setInterval(() => {
      for (const pid of detectorChildren()) process.kill(pid, 'SIGKILL')
    }, 10)
    await expect(bench.start()).rejects.toMatchObject({ reason: 'detector-start-failed', kind: 'setup' })
    clearInterval(killer)
    expect(bench.all('child-start-failed')).toHaveLength(3)
    expect(detectorChildren()).toEqual([])
  })

  it('of a user that may start no more processes name the limit to raise', async () => {
    const bwrap = path.join(bench.folder, 'bwrap')
    await fs.writeFile(bwrap, '#!/bin/sh\necho "pthread_create: Resource temporarily unavailable" >&2; exit 134', {
      mode: 0o755,
    })
    const cage = { bwrap, env: '/usr/bin/env', setpriv: null, scratchDir: bench.folder, isFiltered: false }
    await expect(bench.start({ cage })).rejects.toMatchObject({
      reason: 'detector-start-failed',
      fix: expect.stringContaining('LimitNPROC'),
    })
  })

  it('end the start with a temporary error when they take too long to load', async () => {
    const clock = new ManualClock()
    const hurry = setInterval(() => void clock.advance(60_000), 10)
    await expect(bench.start({ clock })).rejects.toMatchObject({ reason: 'detector-start-timeout', kind: 'retry' })
    clearInterval(hurry)
    expect(bench.all('child-start-failed')).toHaveLength(1)
  })

  it('make jobs fail as unavailable until one starts again', async () => {
    const clock = new ManualClock()
    const host = await bench.start({ clock })
    const good = await bench.write('good', light)
    const model = path.join(bench.modelsDir, 'tiny-image', 'model.onnx')
    const bytes = await fs.readFile(model)
    await fs.writeFile(model, 'changed on disk')
    const [first] = bench.all('child-started')
    const stopped = bench.next('child-stopped')
    process.kill(first?.pid as number, 'SIGKILL')
    await stopped
    await clock.untilSleeping()
    const waiting = host.detect(image(good)).catch((error: unknown) => error)
    const failed = bench.next('child-start-failed')
    await clock.advance(500)
    expect(await failed).toMatchObject({ reason: 'model-digest-mismatch' })
    expect(await waiting).toMatchObject({ reason: 'detector-unavailable', retryAfterMs: expect.any(Number) })
    await expect(host.detect(image(good))).rejects.toMatchObject({ reason: 'detector-unavailable' })
    expect(host.state()).toMatchObject({ ready: 0, busy: 0 })

    await fs.writeFile(model, bytes)
    await clock.untilSleeping()
    await clock.advance(30_000)
    await expect.poll(() => host.state().ready).toBe(1)
    await expect(host.detect(image(good))).resolves.toMatchObject({ detectorId: 'tiny-image' })
  })

  it('leave the old process in place when its successor does not start', async () => {
    const host = await bench.start({ jobsPerChild: 1 })
    const good = await bench.write('good', light)
    await fs.writeFile(path.join(bench.modelsDir, 'tiny-image', 'model.onnx'), 'changed on disk')
    const failed = bench.next('child-start-failed')
    const { rawScore } = await host.detect(image(good))
    await failed
    expect(await host.detect(image(good))).toMatchObject({ rawScore })
    expect(bench.all('child-stopped')).toEqual([])
  })
})

describe('the probe', () => {
  it('rejects a process that returns another score than stated', async () => {
    const host = await bench.start()
    const sample = path.join(bench.modelsDir, 'tiny-image', 'selftest.png')
    const bytes = await fs.readFile(sample)
    const other = await plain({ r: 0, g: 255, b: 255 }).png().toBuffer()
    // After the probe has looked at the sample: to the process it is as if the network returned another score.
    bench.once('job-started', () => writeFileSync(sample, other))
    const stopped = bench.next('child-stopped')
    await expect(host.probe()).rejects.toMatchObject({ reason: 'detector-self-test-failed' })
    await fs.writeFile(sample, bytes)
    expect(await stopped).toMatchObject({ cause: 'self-test' })
    await expect(host.probe()).resolves.toBeUndefined()
  })

  it('fails without ending the process where the folder has another version by now', async () => {
    const host = await bench.start()
    const sample = path.join(bench.modelsDir, 'tiny-image', 'selftest.png')
    await fs.writeFile(sample, await plain({ r: 0, g: 255, b: 255 }).png().toBuffer())
    await expect(host.probe()).rejects.toThrow(withReason('model-digest-mismatch', /models reload/))
    expect(host.state()).toMatchObject({ ready: 1 })
    expect(bench.all('child-stopped')).toEqual([])
  })
})

describe('a caller that leaves', () => {
  it('leaves the line or its job, and the process serves the next', async () => {
    const host = await bench.start()
    const good = await bench.write('good', light)
    const gone = new AbortController()
    const working = host.detect(image(await bench.write('heavy', heavy)), gone.signal).catch((error: unknown) => error)
    const waiting = host.detect(image(good), gone.signal).catch((error: unknown) => error)
    const next = host.detect(image(good))
    await bench.next('job-started').then(() => gone.abort())
    for (const end of [working, waiting]) expect(await end).toMatchObject({ name: 'AbortError' })
    expect(host.state()).toMatchObject({ ready: 0, busy: 1 })
    await expect(next).resolves.toMatchObject({ detectorId: 'tiny-image' })
    expect(new Set(bench.all('job-started').map(({ pid }) => pid)).size).toBe(1)
    expect(bench.all('job-started')).toHaveLength(2)
    await expect(host.detect(image(good), AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' })
  })
})

describe('a preview', () => {
  it('is made by separate processes, one after the other, which end with it', async () => {
    const host = await bench.start()
    const file = await bench.write('good', light)
    const before = bench.events.length
    const asked = (['map', 'view', 'map'] as const).map((what, nth) =>
      host.show({ ...image(file), what, out: path.join(bench.folder, `${nth}`) }),
    )
    if (hasProc) await expect.poll(detectorChildren).toHaveLength(2)
    const busy = host.detect(image(file))
    const map = { pieces: expect.any(Number), lowest: expect.any(Number), highest: expect.any(Number) }
    expect(await Promise.all(asked)).toEqual([map, null, map])
    await busy
    expect(bench.events.slice(before).map(({ type }) => type)).toEqual(['job-started'])
    if (hasProc) expect(detectorChildren()).toHaveLength(1)
  })

  it('ends with the host, and with the previous detectors once it is shown', async () => {
    const host = await bench.start()
    const out = path.join(bench.folder, 'out')
    const [good, slow] = [await bench.write('good', light), await bench.write('heavy', heavy)]
    const ask = (file: string) => host.show({ ...image(file), what: 'map', out })
    const first = ask(good)
    await host.reload()
    expect(await first).toMatchObject({ pieces: expect.any(Number) })
    const asked = Promise.allSettled([ask(slow), ask(slow)])
    if (hasProc) await expect.poll(detectorChildren).toHaveLength(2)
    await host.close()
    for (const each of await asked) expect(each).toMatchObject({ reason: { reason: 'draining' } })
    if (hasProc) expect(detectorChildren()).toEqual([])
  })
})

describe('closing', () => {
  it('ends all processes; open jobs are returned as not done', async () => {
    const host = await bench.start()
    const file = await bench.write('heavy', heavy)
    const jobs = Promise.allSettled([host.detect(image(file)), host.detect(image(file))])
    const { pid } = await bench.next('job-started')
    await host.close()
    expect(await isRunning(pid)).toBe(false)
    for (const job of await jobs)
      expect(job).toMatchObject({ status: 'rejected', reason: { reason: 'draining', kind: 'wait' } })
    await expect(host.detect(image(file))).rejects.toMatchObject({ reason: 'draining' })
    await expect(host.close()).resolves.toBeUndefined()
  })

  it.skipIf(!hasProc)('leaves no process behind that was starting', async () => {
    const host = await bench.start({ jobsPerChild: 1 })
    await host.detect(image(await bench.write('good', light)))
    await expect.poll(detectorChildren).toHaveLength(2)
    await host.close()
    expect(detectorChildren()).toEqual([])
  })

  it.skipIf(!hasProc)('a killed parent takes its processes along, also those in a job', async () => {
    const parent = startParent(bench.modelsDir, await bench.write('heavy', heavy))
    const pids = await new Promise<number[]>((resolve) => {
      parent.stdout?.once('data', (text: Buffer) => resolve(JSON.parse(text.toString())))
    })
    expect(await Promise.all(pids.map(isRunning))).toEqual([true, true])
    parent.kill('SIGKILL')
    await Promise.all(pids.map(untilGone))
    expect(await Promise.all(pids.map(isRunning))).toEqual([false, false])
  })
})

/** Another process with a detector host of two, which prints their ids as soon as one of them works. */
function startParent(modelsDir: string, file: string): ChildProcess {
  const entry = (...parts: string[]) => JSON.stringify(packagePath('dist', ...parts))
  const script = `
    const { createDetectorHost } = await import(${entry('detect', 'host', 'create-detector-host.js')})
    const { systemClock } = await import(${entry('core', 'clock.js')})
    const { silentLog } = await import(${entry('core', 'log.js')})
    const pids = []
    const onEvent = (event) => {
      if (event.type === 'child-started') pids.push(event.pid)
      if (event.type === 'job-started') console.log(JSON.stringify(pids))
    }
    const host = await createDetectorHost({ modelsDir: ${JSON.stringify(modelsDir)}, detectors: [], workers: 2, costlyShare: 0.5, platform: '', expectedShare: 0.5, timeoutMs: 60000,
      memoryMb: 2000, ffmpeg: null, jobsPerChild: 100, clock: systemClock, random: Math.random, log: silentLog, onEvent })
    await host.detect({ file: ${JSON.stringify(file)}, mediaType: 'image' })`
  return spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
}
