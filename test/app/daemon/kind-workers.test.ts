import { expect, it } from 'vitest'
import { KindWorkers } from '../../../src/app/daemon/kind-workers.js'
import { systemClock } from '../../../src/core/clock.js'
import type { DetectorSummary } from '../../../src/detect/package/detector-summary.js'
import { settle } from '../../support/manual-clock.js'

/** Workers for the kinds that have a detector, which tell what they were told, and what takes jobs. */
function newWorkers(...has: string[]) {
  const kinds = new Set(has)
  const said: string[] = []
  const taking = new Set<string>()
  const tell = (what: string, name: string) => {
    said.push(`${what} ${name}`)
    if (what === 'pause') taking.delete(name)
    else taking.add(name)
  }
  const detectors = { detectorFor: (kind: string) => (kinds.has(kind) ? ({} as DetectorSummary) : null) }
  const start = async (name: string) => {
    await settle()
    tell('start', name)
    return {
      pause: () => tell('pause', name),
      resume: () => tell('resume', name),
      stop: async () => ({ drained: name !== 'analyze-text' }),
    }
  }
  return { kinds, said, taking, workers: new KindWorkers(detectors, start, systemClock) }
}

it('each kind with a detector has a worker, and unknown kinds have one while any detector is loaded', async () => {
  const { kinds, said, workers } = newWorkers('image')
  await workers.follow()
  expect(said.splice(0)).toEqual(['start analyze-image', 'start analyze-unknown'])
  kinds.delete('image')
  kinds.add('text')
  await Promise.all([workers.follow(), workers.follow()])
  expect(said.splice(0, 3)).toEqual(['pause analyze-image', 'resume analyze-unknown', 'start analyze-text'])
  said.splice(0)
  kinds.clear()
  await workers.follow()
  expect(said.splice(0)).toEqual(['pause analyze-image', 'pause analyze-unknown', 'pause analyze-text'])
  expect(await workers.stop(0)).toEqual({ drained: false })
  kinds.add('audio')
  await workers.follow()
  expect(said).toEqual([])
})

it('a stop does not wait for a worker that cannot start while the queue is unreachable', async () => {
  const detectors = { detectorFor: () => ({}) as DetectorSummary }
  const workers = new KindWorkers(detectors, () => new Promise(() => {}), systemClock)
  void workers.follow()
  await settle()
  expect(await workers.stop(0)).toEqual({ drained: true })
})

it('paused workers take no job, not even for detectors loaded meanwhile, until they resume', async () => {
  const { kinds, taking, workers } = newWorkers('image')
  const starting = workers.follow()
  await Promise.resolve()
  workers.rest()
  await starting
  expect([...taking]).toEqual([])
  kinds.add('text')
  await workers.follow()
  expect([...taking]).toEqual([])
  await workers.goOn()
  expect([...taking].sort()).toEqual(['analyze-image', 'analyze-text', 'analyze-unknown'])
})
