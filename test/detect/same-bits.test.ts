import { expect, it } from 'vitest'
import { readSamples } from '../../src/app/samples.js'
import { packagePath } from '../../src/core/files.js'
import { MEDIA_TYPES } from '../../src/core/media-types.js'
import type { DetectorHost, DetectRequest } from '../../src/detect/detection.js'
import { DetectorBench } from '../support/detector-bench.js'

const bench = DetectorBench.forAll()

const kindOf = ({ mediaType }: DetectRequest) => mediaType

/** Raw score, or the reason why there is none: it must be the same one too. */
async function outcome(host: DetectorHost, request: DetectRequest): Promise<number | string> {
  return host.detect(request).then(
    ({ rawScore }) => rawScore,
    (error: { reason: string }) => error.reason,
  )
}

it('the shipped detectors return the same bits one by one and in parallel, by one process and by two', async () => {
  const shipped = { modelsDir: packagePath('models'), detectors: [], timeoutMs: 120_000 }
  const one = await bench.start({ ...shipped, workers: 1 })
  const samples = await readSamples()
  const requests = MEDIA_TYPES.flatMap((mediaType) => {
    const sample = samples.find((each) => each.mediaType === mediaType)
    return sample && one.detectorFor(mediaType) !== null ? [{ file: sample.path, mediaType }] : []
  })
  const inTurn: (number | string)[] = []
  for (const request of requests) inTurn.push(await outcome(one, request))
  const two = await bench.start({ ...shipped, workers: 2 })
  const twice = [...requests, ...requests.toReversed()]
  const atOnce = await Promise.all(twice.map((request) => outcome(two, request)))
  expect(atOnce).toEqual([...inTurn, ...inTurn.toReversed()])
  const scoredKinds = new Set(requests.filter((_, index) => typeof inTurn[index] === 'number').map(kindOf))
  expect(scoredKinds).toEqual(new Set(requests.map(kindOf)))
})
