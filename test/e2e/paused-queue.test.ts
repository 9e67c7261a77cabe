import path from 'node:path'
import { expect, it } from 'vitest'
import { attestdVerb } from '../support/attestd-verb.js'
import { benchOfTest } from '../support/bench-of-test.js'
import { tellsTheSame } from '../support/one-story.js'

it('a queue paused by hand is reported as one event, and resumed by hand', async () => {
  const bench = await benchOfTest()
  const daemon = bench.startHere()
  await daemon.ready()
  const verb = (...words: string[]) => attestdVerb([...words, '--data-dir', path.join(bench.folder, 'main')], {})

  expect(await verb('queue', 'pause', '--queue', 'analyze')).toMatchObject({ code: 0, out: 'Paused: analyze.\n' })
  await bench.until('one story', () => tellsTheSame(daemon, 'queue', 'queue-paused'))
  await bench.registerMany(1, 'paused')
  await bench.until(
    'a job that waits',
    async () => (await daemon.metric('attestd_waiting_jobs', 'queue="analyze-image"')) === 1,
  )
  expect((await daemon.get('/')).text).toContain('analyze-image <span class="bad">paused</span>')
  const status = await verb('status')
  expect(status.code).toBe(1)
  expect(status.out).toMatch(/analyze-image +1 waiting, .*, paused\n/)

  expect(await verb('queue', 'resume')).toMatchObject({ code: 0, out: 'All queues resumed.\n' })
  await bench.expectExactlyOneEach()
  await daemon.ready()
})
