import fs from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { evaluateIntoPackage, evaluateOnFixture } from '../../.ci/evaluate-packages.mjs'
import { fixtureDrift } from '../../.ci/fixture-figures.mjs'
import { labBenchForAll } from '../support/lab-bench.js'

const bench = labBenchForAll()

const TOLERANCE = 0.02
const watch = () => ({ signal: new AbortController().signal, onProgress: () => {} })
const evaluationFile = (name: string) => path.join(bench.modelsDir, 'tiny-image', 'evaluation', name)

it('figures on the sample media are kept, match, and no longer match once a risk moves', async () => {
  const [missing] = await evaluateOnFixture(bench.settings, true, watch())
  expect(missing).toMatchObject({ holds: false, summary: expect.stringMatching(/is missing/) })
  await evaluateOnFixture(bench.settings, false, watch())
  expect(await evaluateOnFixture(bench.settings, true, watch())).toEqual([
    { id: 'tiny-image', holds: true, summary: expect.stringMatching(/samples, AUC .*, as kept/) },
  ])
  const kept = JSON.parse(await fs.readFile(evaluationFile('fixture.json'), 'utf8'))
  expect(kept.rows.length).toBeGreaterThan(20)
  const [first, ...others] = kept.rows
  const moved = (by: number) => ({ ...kept, rows: [{ ...first, risk: first.risk + by }, ...others] })
  expect(fixtureDrift(kept, moved(0.01), TOLERANCE)).toEqual([])
  expect(fixtureDrift(kept, moved(0.03), TOLERANCE)).toHaveLength(1)
  expect(fixtureDrift(kept, { ...kept, data: 'other' }, TOLERANCE)).toEqual(['tiny-image: made of other sample media'])
  const other = { ...kept, detector: { ...kept.detector, digest: 'other' } }
  expect(fixtureDrift(kept, other, TOLERANCE)).toEqual(['tiny-image: made by another state of the package'])
})

it('figures of foreign data are kept without its pictures and texts', async () => {
  const data = await bench.writePictures([
    { name: 'secret-real.png', label: 'real', red: 250 },
    { name: 'secret-fake.png', label: 'fake', red: 10 },
  ])
  const options = {
    data,
    root: null,
    limit: null,
    prior: null,
    by: ['source'],
    command: 'npm run evaluate',
    ...watch(),
  }
  await evaluateIntoPackage(bench.settings, 'tiny-image', options)
  for (const name of ['eval.json', 'report.html']) {
    const text = await fs.readFile(evaluationFile(name), 'utf8')
    expect(text.includes('secret'), name).toBe(false)
    expect(text.includes('data:image'), name).toBe(false)
  }
})
