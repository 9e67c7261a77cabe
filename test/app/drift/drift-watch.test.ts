import fs from 'node:fs/promises'
import path from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { readReference } from '../../../src/app/drift/drift-reference.js'
import { DriftWatch } from '../../../src/app/drift/drift-watch.js'
import { populationOf, stabilityIndex } from '../../../src/app/drift/population.js'
import { silentLog } from '../../../src/core/log.js'
import { folderForEach } from '../../support/temporary-folder.js'

const detector = { id: 'tiny', digest: 'ab'.repeat(32) }
const folder = folderForEach()
let places: { modelsDir: string; folder: string }
beforeEach(async () => {
  places = { modelsDir: path.join(folder, 'models'), folder: path.join(folder, 'drift') }
})

/** The nth of a steady stream of risks over all ten bins. */
const spread = (nth: number) => ({ risk: (nth % 10) / 10 + 0.05, abstained: nth % 10 === 5 })
const high = () => ({ risk: 0.97, abstained: false })

async function newWatch(): Promise<DriftWatch> {
  const watch = new DriftWatch(places, silentLog)
  watch.saw(detector, spread(0))
  await watch.looked()
  return watch
}

function feed(watch: DriftWatch, files: number, one: (nth: number) => ReturnType<typeof spread>): void {
  for (let nth = 0; nth < files; nth++) watch.saw(detector, one(nth))
}

async function writeEvaluation(name: string, content: unknown): Promise<void> {
  const to = path.join(places.modelsDir, detector.id, 'evaluation')
  await fs.mkdir(to, { recursive: true })
  await fs.writeFile(path.join(to, name), JSON.stringify(content))
}

describe('the population stability index', () => {
  it('is 0 for the same shares, and what its formula says for others', () => {
    expect(stabilityIndex([40, 60], [40, 60])).toBe(0)
    const [a, b] = [(50.5 / 101) as number, 80.5 / 101]
    const by = (x: number, y: number) => (x - y) * Math.log(x / y)
    expect(stabilityIndex([50, 50], [80, 20])).toBeCloseTo(by(a, b) + by(1 - a, 1 - b), 12)
  })

  it('counts risks by ten bins, the last with its end, and files without a risk as abstentions alone', () => {
    const seen = [
      { risk: 0, abstained: false },
      { risk: 1, abstained: true },
      { risk: null, abstained: true },
    ]
    expect(populationOf(seen)).toEqual({ risks: [1, 0, 0, 0, 0, 0, 0, 0, 0, 1], abstentions: [1, 2] })
  })
})

describe('the drift of a detector', () => {
  it('is against its own first 500 files where the package has no evaluation, also after a restart', async () => {
    const watch = await newWatch()
    feed(watch, 499, spread)
    feed(watch, 199, spread)
    expect(watch.rows()).toEqual([
      { detector: 'tiny', reference: 'own', files: 199, needed: 200, risk: null, abstention: null },
    ])
    feed(watch, 301, spread)
    const [steady] = watch.rows()
    expect(steady?.risk).toBeLessThan(0.05)
    await expect.poll(() => fs.readdir(places.folder)).toContain(`${detector.digest}.json`)

    const again = await newWatch()
    feed(again, 500, high)
    const [shifted] = again.rows()
    expect(shifted).toMatchObject({ reference: 'own', files: 500 })
    expect(shifted?.risk).toBeGreaterThan(0.25)
    expect(shifted?.abstention).toBeGreaterThan(0.1)
  })

  it('is against the evaluation of its package where that is of this digest and of enough files', async () => {
    const bins = Array.from({ length: 20 }, () => 10)
    const outcomes = { scored: 400, unsure: { band: 40, flip: 0 }, abstained: { 'media-corrupt': 1 }, failed: {} }
    await writeEvaluation('eval.json', {
      detector: { digest: detector.digest },
      histogram: { real: bins, fake: bins },
      outcomes,
    })
    expect(await readReference(places, detector)).toEqual({
      from: 'evaluation',
      risks: Array.from({ length: 10 }, () => 40),
      abstentions: [360, 41],
    })
    const watch = await newWatch()
    feed(watch, 300, spread)
    const [row] = watch.rows()
    expect(row).toMatchObject({ reference: 'evaluation', files: 301 })
    expect(row?.risk).toBeLessThan(0.1)
    expect(await readReference(places, { ...detector, digest: 'other' })).toBeNull()
  })

  it('takes the figures on sample media only where they are enough', async () => {
    const rows = (count: number) => Array.from({ length: count }, (_, nth) => ({ risk: nth % 2 === 0 ? 0.05 : null }))
    await writeEvaluation('fixture.json', { detector: { digest: detector.digest }, rows: rows(41) })
    expect(await readReference(places, detector)).toBeNull()
    await writeEvaluation('fixture.json', { detector: { digest: detector.digest }, rows: rows(200) })
    expect(await readReference(places, detector)).toMatchObject({ from: 'evaluation', abstentions: [100, 100] })
  })
})
