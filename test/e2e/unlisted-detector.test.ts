import path from 'node:path'
import { expect, it } from 'vitest'
import { attestdVerb } from '../support/attestd-verb.js'
import { benchOfTest } from '../support/bench-of-test.js'
import { writeTinyPackage } from '../support/detector-package.js'

it('a package that the list does not name is a shadow; log, models list, status and doctor name the command that lets it score', async () => {
  const bench = await benchOfTest()
  await writeTinyPackage(path.join(bench.folder, 'models'), { id: 'copied' })
  const daemon = await bench.startHere({ ATTESTD_DETECTORS: 'tiny-image,*=shadow' }).ready()
  const asset = await bench.register('unlisted')
  await expect.poll(() => bench.scoreCounts()).toEqual({ [asset.id]: 1 })
  expect(bench.sandbox.scores()[0]?.algorithm).toBe('tiny-image@1.0.0')

  const list = 'tiny-image=1,copied,*=shadow'
  const advice = `copied is not in the list of detectors, so it runs as a shadow; to let it score: attestd models reload --detectors "${list}"`
  expect(daemon.log).toContainEqual(
    expect.objectContaining({ msg: 'unlisted package loaded as a shadow', detail: advice }),
  )
  const verb = (...args: string[]) =>
    attestdVerb([...args, '--data-dir', path.join(bench.folder, 'main')], bench.env({ ATTESTD_DETECTORS: '' }))
  expect((await verb('status')).out).toContain(advice)
  expect((await verb('models', 'list')).out).toMatch(/copied .*shadow, not in the list[\s\S]*copied is not in the list/)

  expect(await verb('models', 'reload', '--detectors', list)).toMatchObject({ code: 0 })
  expect((await verb('status')).out).not.toContain('copied is not in the list')
  expect((await verb('models', 'list')).out).toMatch(/copied .*scores, weight 1/)
  await daemon.drain()
  const doctor = await attestdVerb(['doctor'], bench.env({ ATTESTD_DETECTORS: 'tiny-image,*=shadow' }))
  expect(doctor.out).toContain(advice)
})
