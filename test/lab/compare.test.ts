import fs from 'node:fs/promises'
import path from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { compareModels } from '../../src/app/lab/compare-models.js'
import { seededRandom } from '../../src/lab/metrics/seeded-random.js'
import { writeTinyPackage } from '../support/detector-package.js'
import { tinyOnnx } from '../support/detector-tiny-onnx.js'
import { type LabPicture, labBenchForAll } from '../support/lab-bench.js'

const bench = labBenchForAll()
let index: string
beforeAll(async () => {
  const random = seededRandom(5)
  const pictures = Array.from({ length: 60 }, (_, number): LabPicture => {
    const fake = number % 2 === 0
    const red = Math.round((fake ? 120 : 80) + 100 * random())
    return { name: `${number}.png`, label: fake ? 'fake' : 'real', red, source: `source ${number % 3}` }
  })
  index = await bench.writePictures(pictures)
  // Looks at blue, which is the same in all pictures: it cannot tell them apart.
  const blind = {
    model: tinyOnnx([0, 0, 1], 0),
    manifest: { selfTest: { file: 'selftest.png', risk: 0.5, tolerance: 0.5 } },
  }
  await writeTinyPackage(bench.modelsDir, { id: 'blind', ...blind })
})

const options = () => ({
  data: index,
  root: null,
  limit: null,
  by: ['source'],
  command: 'attestd models compare',
  signal: new AbortController().signal,
  onProgress: () => {},
})

describe('models compare', () => {
  it('ranks a detector that discriminates above one that does not', async () => {
    const found = await compareModels(bench.settings, ['tiny-image', 'blind'], options())
    expect(found.rows).toEqual({ both: 60, onlyFirst: 0, onlySecond: 0, neither: 0 })
    expect(found.auc.second).toBe(0.5)
    expect(found.auc.difference).toBeCloseTo((found.auc.first ?? 0) - 0.5, 6)
    expect(found.auc.interval?.low).toBeGreaterThan(0)
    expect(found.better).toBe('first')
    expect(found.mcNemar.onlyFirstRight).toBeGreaterThan(found.mcNemar.onlySecondRight)
    expect(found.groups.source?.map(({ real, fake }) => real + fake)).toEqual([20, 20, 20])
  })

  it('in the other order gives the opposite difference', async () => {
    const found = await compareModels(bench.settings, ['blind', 'tiny-image'], { ...options(), limit: 40 })
    expect(found.better).toBe('second')
    expect(found.data.rows).toBe(40)
  })

  it('refuses packages of different kinds of media', async () => {
    const folder = await writeTinyPackage(path.join(bench.folder, 'others'), { id: 'words' })
    const manifest = JSON.parse(await fs.readFile(path.join(folder, 'detector.json'), 'utf8'))
    const text = {
      kind: 'text',
      windowCharacters: 500,
      maxWindows: 4,
      languages: ['en'],
      features: { kind: 'hashed-ngrams', characters: [2, 3], buckets: 1024 },
    }
    await fs.writeFile(
      path.join(folder, 'detector.json'),
      JSON.stringify({ ...manifest, mediaTypes: ['text'], preprocessing: text }),
    )
    await expect(compareModels(bench.settings, ['tiny-image', folder], options())).rejects.toThrow(
      /scores image.* text/,
    )
  })
})
