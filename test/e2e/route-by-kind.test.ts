import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { attestdVerb } from '../support/attestd-verb.js'
import { benchOfTest } from '../support/bench-of-test.js'
import { tellsTheSame } from '../support/one-story.js'
import { writeModulePackage } from '../support/other-packages.js'
import { findRedisServer } from '../support/redis-server.js'

const TEXT_DETECTOR = 'export const createDetector = () => ({ measure: async () => ({ logit: 3 }) })'
const textOf = (nth: number) => Buffer.from(`Words number ${nth} that a detector of texts is asked about. `.repeat(9))

async function newBench() {
  const bench = await benchOfTest()
  await writeModulePackage(path.join(bench.folder, 'models'), { 'main.mjs': TEXT_DETECTOR })
  return bench
}

describe.skipIf(findRedisServer() === null)('daemons with detectors for different kinds on one Redis', () => {
  it('all of 12 pictures and 12 texts are scored, also during a reload; a kind without a detector is named', async () => {
    const bench = await newBench()
    const redis = await bench.redis()
    const start = (name: string, roles: string, detectors = 'tiny-image') =>
      bench.startHere({ ATTESTD_QUEUE_URL: redis.url, ATTESTD_ROLES: roles, ATTESTD_DETECTORS: detectors }, name)
    const front = start('front', 'intake,submit')
    const [pictures, texts] = [start('pictures', 'analyze'), start('texts', 'analyze', 'by-module')]
    await Promise.all([front, pictures, texts].map((daemon) => daemon.ready()))
    for (let nth = 0; nth < 12; nth++) {
      await bench.register('picture')
      await bench.register('text', { mediaType: 'text', content: textOf(nth) })
      if (nth % 4 === 1) for (const daemon of [pictures, texts]) daemon.signal('SIGHUP')
    }
    await bench.expectExactlyOneEach()
    expect(bench.sandbox.scores()).toHaveLength(24)
    for (const daemon of [pictures, texts]) {
      expect(await daemon.metric('attestd_abstained_total')).toBe(0)
      expect(await daemon.metric('attestd_detector_reloads_total', 'outcome="done"')).toBeGreaterThan(0)
    }
    expect(await pictures.metric('attestd_jobs_total', 'queue="analyze-text"')).toBe(0)

    await bench.registerMany(2, 'speech', { mediaType: 'audio' })
    await bench.until('one story', () => tellsTheSame(front, 'workers', 'workers-missing'))
    const missing =
      '2 assets of kind audio wait, and no daemon on this queue has a detector for audio and a disk that accepts writes.'
    await bench.until('both that wait', async () => (await front.get('/readyz')).text.includes(missing))
    expect((await front.get('/')).text).toContain(missing)
    const verb = await attestdVerb(['status', '--fleet', '--data-dir', path.join(bench.folder, 'front')], {})
    expect(verb.out).toContain(missing)
    const list = await attestdVerb(['models', 'list', '--data-dir', path.join(bench.folder, 'front')], {
      ATTESTD_MODELS_DIR: path.join(bench.folder, 'models'),
    })
    expect(list.out).toMatch(/tiny-image .*not in use[\s\S]*The daemon here does not analyze/)
    expect(await front.metric('attestd_waiting_jobs', 'queue="analyze-audio"')).toBe(2)
  })
})

it('a kind that loses its detector by a reload is reported in log and verb, waits by name, and is scored once it has one again', async () => {
  const bench = await newBench()
  const daemon = await bench.startHere({ ATTESTD_DETECTORS: 'tiny-image,by-module' }).ready()
  const reload = (detectors: string) =>
    attestdVerb(['models', 'reload', '--detectors', detectors, '--data-dir', path.join(bench.folder, 'main')], {
      ATTESTD_MODELS_DIR: path.join(bench.folder, 'models'),
    })
  expect(await reload('tiny-image')).toMatchObject({
    code: 0,
    out: expect.stringMatching(/warning: .* has no detector for text any more/),
  })
  const warning = daemon.log.find(({ msg }) => msg === 'no detector left for some media types')
  expect(warning).toMatchObject({ reason: 'detector-none', mediaTypes: ['text'] })
  const text = await bench.register('text', { mediaType: 'text', content: textOf(0) })
  const picture = await bench.register('picture')
  await bench.until('the picture scored', () => bench.scoreCounts()[picture.id] === 1)
  await bench.until('one story', () => tellsTheSame(daemon, 'workers', 'workers-missing'))
  expect(bench.scoreCounts()).toMatchObject({ [text.id]: 0 })
  expect(await daemon.metric('attestd_abstained_total')).toBe(0)
  expect(await reload('tiny-image,by-module')).toMatchObject({ code: 0 })
  await bench.expectExactlyOneEach()
  await daemon.ready()
})
