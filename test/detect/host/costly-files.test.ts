import { beforeEach, expect, it } from 'vitest'
import { DetectorBench } from '../../support/detector-bench.js'
import { noise, plain } from '../../support/detector-images.js'
import { writeTinyPackage } from '../../support/detector-package.js'

const bench = DetectorBench.forEach()
beforeEach(async () => {
  await writeTinyPackage(bench.modelsDir)
})

const costlyFile = async () => bench.write('costly', await plain('#345', 5000, 5000).webp({ effort: 0 }).toBuffer())
const cheapFile = async () => bench.write('cheap', await noise().jpeg().toBuffer())

/** Detects three pictures of 25 megapixels, then three small ones, and names them in the order in which they ended. */
async function endsOf(workers: number): Promise<string[]> {
  const host = await bench.start({ workers })
  const [costly, cheap] = [await costlyFile(), await cheapFile()]
  const ends: string[] = []
  const detect = (name: string, file: string) =>
    host
      .detect({ file, mediaType: 'image' })
      .catch(() => {})
      .finally(() => ends.push(name))
  const first = Array.from({ length: 3 }, () => detect('costly', costly))
  await bench.next('job-started')
  await Promise.all([...first, ...Array.from({ length: 3 }, () => detect('cheap', cheap))])
  return ends
}

it('with one process, waiting cheap files go before costly ones', async () => {
  expect(await endsOf(1)).toEqual(['costly', ...Array(3).fill('cheap'), ...Array(2).fill('costly')])
})

it('with two, costly files that came first leave one process to cheap ones', async () => {
  const ends = await endsOf(2)
  expect(ends.slice(-1)).toEqual(['costly'])
  expect(ends.indexOf('cheap')).toBeLessThanOrEqual(2)
})

it('a costly file makes way while it waits, and returns to its queue where many others wait', async () => {
  const host = await bench.start({ workers: 1 })
  const [costly, cheap] = [await costlyFile(), await cheapFile()]
  const steps: string[] = []
  const stepAside = () => {
    steps.push('aside')
    return () => void steps.push('back')
  }
  const detect = (file: string) => host.detect({ file, mediaType: 'image', stepAside }).catch(({ reason }) => reason)
  const first = detect(costly)
  await bench.next('job-started')
  const waiting = Array.from({ length: 4 }, () => detect(costly))
  await expect.poll(() => host.state().waiting).toBe(4)
  expect(steps).toEqual(Array(4).fill('aside'))
  expect(await detect(costly)).toBe('detector-busy')
  await detect(cheap)
  await Promise.all([first, ...waiting])
  expect(steps).toHaveLength(8)
})
