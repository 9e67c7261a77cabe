import { beforeAll, describe, expect, it } from 'vitest'
import { isOfShare } from '../../../src/detect/host/lineup.js'
import { DetectorBench } from '../../support/detector-bench.js'
import { plain } from '../../support/detector-images.js'
import { writeTinyPackage } from '../../support/detector-package.js'

const hashes = Array.from({ length: 2000 }, (_, nth) => `0x${nth.toString(16).padStart(64, '0')}`)
const shareOf = (percent: number) => hashes.filter((hash) => isOfShare(hash, percent))

describe('a canary', () => {
  const bench = DetectorBench.forAll()
  beforeAll(async () => {
    for (const id of ['live', 'next', 'third']) await writeTinyPackage(bench.modelsDir, { id })
  })

  it('scores the assets of its share and no others; files without an asset go to the active detector', async () => {
    const host = await bench.start({ detectors: [{ id: 'live' }, { id: 'next', canary: 40 }] })
    const file = await bench.write('picture.png', await plain('#123').png().toBuffer())
    const [drawn, other] = [shareOf(40)[0]!, hashes.find((hash) => !isOfShare(hash, 40))!]
    const by = async (contentHash?: string) =>
      (await host.detect({ file, mediaType: 'image', ...(contentHash ? { contentHash } : {}) })).detectorId
    expect([await by(drawn), await by(other), await by()]).toEqual(['next', 'live', 'live'])
    expect(host.detectorFor('image', drawn)).toMatchObject({ id: 'next', canary: 40 })
    const request = { file, mediaType: 'image', contentHash: drawn } as const
    expect(await host.shadow(request)).toMatchObject([
      { detector: { id: 'live' }, besideCandidate: host.detectorFor('image', drawn)?.digest },
    ])
    expect(await host.shadow({ ...request, contentHash: other })).toEqual([])
  })
})
