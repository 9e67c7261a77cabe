import fs from 'node:fs/promises'
import path from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { keepReference, readReference } from '../../../src/app/drift/drift-reference.js'
import { DriftWatch } from '../../../src/app/drift/drift-watch.js'
import { populationOf, type Seen, stabilityIndex } from '../../../src/app/drift/population.js'
import { silentLog } from '../../../src/core/log.js'
import { seededRandom } from '../../../src/lab/metrics/seeded-random.js'
import { KeptLog } from '../../support/kept-log.js'
import { settle } from '../../support/manual-clock.js'
import { folderForEach } from '../../support/temporary-folder.js'

const detector = { id: 'tiny', digest: 'ab'.repeat(32) }
const BINS = Array.from({ length: 20 }, () => 10)
const TENTHS = Array.from({ length: 10 }, () => 1)

const folder = folderForEach()
let places: { modelsDir: string; folder: string }
beforeEach(async () => {
  places = { modelsDir: path.join(folder, 'models'), folder: path.join(folder, 'drift') }
})

async function evaluated(name: string, content: unknown): Promise<void> {
  const to = path.join(places.modelsDir, detector.id, 'evaluation')
  await fs.mkdir(to, { recursive: true })
  await fs.writeFile(path.join(to, name), typeof content === 'string' ? content : JSON.stringify(content))
}

const evaluation = (change: object = {}, outcomes: object = {}) => ({
  detector: { digest: detector.digest },
  histogram: { real: BINS, fake: BINS },
  outcomes: { scored: 200, unsure: { band: 3, flip: 4 }, abstained: { a: 5, b: 6 }, ...outcomes },
  ...change,
})

describe('the reference of a detector', () => {
  it('counts unsure and rejected files of an evaluation as abstentions, and leaves out failed ones', async () => {
    await evaluated('eval.json', evaluation({}, { failed: { x: 100 } }))
    expect(await readReference(places, detector)).toMatchObject({ from: 'evaluation', abstentions: [193, 18] })
  })

  it('joins two bins of the evaluation into one, real and fake together', async () => {
    const real = BINS.map((_, bin) => bin)
    await evaluated('eval.json', evaluation({ histogram: { real, fake: BINS } }))
    const { risks } = (await readReference(places, detector)) ?? {}
    expect(risks).toEqual(TENTHS.map((_, bin) => 4 * bin + 1 + 20))
  })

  it.each<[string, unknown]>([
    ['of 199 files', evaluation({}, { scored: 199 })],
    ['of another digest', evaluation({ detector: { digest: 'other' } })],
    ['with other bins', evaluation({ histogram: { real: TENTHS, fake: TENTHS } })],
    ['with a negative count', evaluation({ histogram: { real: BINS.with(0, -1), fake: BINS } })],
    ['without outcomes', { ...evaluation(), outcomes: undefined }],
    ['that is cut', '{"detector":'],
  ])('is not taken from an evaluation %s', async (_, content) => {
    await evaluated('eval.json', content)
    expect(await readReference(places, detector)).toBeNull()
  })

  it('is not taken from figures on too few sample files', async () => {
    const rows = Array.from({ length: 199 }, () => ({ risk: 1 }))
    await evaluated('fixture.json', { detector: { digest: detector.digest }, rows })
    expect(await readReference(places, detector)).toBeNull()
  })

  it('prefers the evaluation to the sample media, and those to what this daemon recorded', async () => {
    await keepReference(places.folder, detector.digest, { risks: TENTHS, abstentions: [7, 3] })
    expect(await readReference(places, detector)).toEqual({ from: 'own', risks: TENTHS, abstentions: [7, 3] })
    const rows = Array.from({ length: 200 }, (_, nth) => ({ risk: nth < 150 ? 1 : null }))
    await evaluated('fixture.json', { detector: { digest: detector.digest }, rows })
    expect(await readReference(places, detector)).toMatchObject({ from: 'evaluation', abstentions: [150, 50] })
    await evaluated('eval.json', evaluation())
    expect(await readReference(places, detector)).toMatchObject({ abstentions: [193, 18] })
  })

  it('recorded by this daemon belongs to one digest, is readable by its owner only, and is replaced as a whole', async () => {
    const first = { risks: TENTHS, abstentions: [1, 1] as [number, number] }
    await keepReference(places.folder, detector.digest, first)
    await keepReference(places.folder, detector.digest, { ...first, abstentions: [2, 2] })
    expect(await readReference(places, detector)).toMatchObject({ abstentions: [2, 2] })
    expect(await readReference(places, { ...detector, digest: 'cd'.repeat(32) })).toBeNull()
    expect(((await fs.stat(places.folder)).mode & 0o777).toString(8)).toBe('700')
  })

  it('is not written into a folder behind a symbolic link', async () => {
    const elsewhere = `${places.folder}-elsewhere`
    await fs.mkdir(elsewhere)
    await fs.symlink(elsewhere, places.folder)
    const kept = keepReference(places.folder, detector.digest, { risks: TENTHS, abstentions: [1, 1] })
    await expect(kept).rejects.toMatchObject({ reason: 'data-dir-unusable' })
    expect(await fs.readdir(elsewhere)).toEqual([])
  })

  it.each(['', '{}', '{"risks":[1],"abstentions":[1,1]}', `{"risks":${JSON.stringify(TENTHS)},"abstentions":[1]}`])(
    'stored as %j is ignored',
    async (text) => {
      await fs.mkdir(places.folder)
      await fs.writeFile(path.join(places.folder, `${detector.digest}.json`), text)
      expect(await readReference(places, detector)).toBeNull()
    },
  )
})

describe('the drift index', () => {
  it('is never negative, symmetric, and 0 for equal shares only', () => {
    const random = seededRandom(2)
    for (let round = 0; round < 200; round++) {
      const counts = () => Array.from({ length: 10 }, () => Math.floor(50 * random()))
      const [a, b] = [counts(), counts()]
      const index = stabilityIndex(a, b)
      expect(index).toBeGreaterThan(0)
      expect(stabilityIndex(b, a)).toBeCloseTo(index, 12)
      expect(stabilityIndex(a, a)).toBe(0)
    }
  })

  it('is finite for empty bins, and grows as files move further', () => {
    const all = (bin: number): number[] => TENTHS.map((_, each) => (each === bin ? 500 : 0))
    expect(Number.isFinite(stabilityIndex(all(0), all(9)))).toBe(true)
    const mixed = (moved: number) =>
      all(0)
        .with(0, 500 - moved)
        .with(9, moved)
    expect(stabilityIndex(mixed(50), all(0))).toBeLessThan(stabilityIndex(mixed(100), all(0)))
  })

  it('is below 0.1 without drift and above 0.25 after a large one, at the sample sizes compared', () => {
    const random = seededRandom(4)
    const draw = (files: number, shift: number) =>
      populationOf(
        Array.from(
          { length: files },
          (): Seen => ({ risk: Math.min(1, random() * (1 - shift) + shift), abstained: false }),
        ),
      ).risks
    expect(stabilityIndex(draw(500, 0), draw(500, 0))).toBeLessThan(0.1)
    expect(stabilityIndex(draw(500, 0.4), draw(500, 0))).toBeGreaterThan(0.25)
  })

  it('follows its formula', () => {
    const [a, b] = [50.5 / 101, 80.5 / 101]
    const by = (x: number, y: number) => (x - y) * Math.log(x / y)
    expect(stabilityIndex([50, 50], [80, 20])).toBeCloseTo(by(a, b) + by(1 - a, 1 - b), 12)
  })

  it('has ten bins, an edge belonging to the upper one, and one of abstentions, which includes files without a risk', () => {
    const bins = (risk: number) => populationOf([{ risk, abstained: false }]).risks.indexOf(1)
    expect([0, 0.0999, 0.1, 0.5, 0.8999, 0.9, 1].map(bins)).toEqual([0, 0, 1, 5, 8, 9, 9])
    const seen = [0, 1, null].map((risk) => ({ risk, abstained: risk !== 0 }))
    expect(populationOf(seen)).toEqual({ risks: [1, 0, 0, 0, 0, 0, 0, 0, 0, 1], abstentions: [1, 2] })
  })
})

describe('the drift watch', () => {
  const low: Seen = { risk: 0.05, abstained: false }
  /** Evenly, so that an index does not depend on the number of files. */
  const spread = (nth: number): Seen => ({ risk: (nth % 10) / 10 + 0.05, abstained: nth % 10 === 5 })
  const feed = (watch: DriftWatch, files: number, one: Seen = low, of = detector) => {
    for (let nth = 0; nth < files; nth++) watch.saw(of, one)
  }

  async function withEvaluation(): Promise<DriftWatch> {
    await evaluated('eval.json', evaluation())
    const watch = new DriftWatch(places, silentLog)
    watch.saw(detector, low)
    await expect.poll(() => watch.rows()[0]?.reference).toBe('evaluation')
    return watch
  }

  /** Feeds files until the watch made a reference of its own: at 500, or where it looked for one on disk for longer. */
  async function ownReference(watch: DriftWatch, one: (nth: number) => Seen): Promise<number> {
    let nth = 0
    while ((watch.rows()[0]?.reference ?? null) === null) {
      watch.saw(detector, one(nth++))
      await settle()
    }
    return nth
  }

  it('has no index after 199 files, and one after 200', async () => {
    const watch = await withEvaluation()
    feed(watch, 198)
    expect(watch.rows()).toMatchObject([{ files: 199, risk: null, abstention: null }])
    feed(watch, 1)
    expect(watch.rows()[0]?.risk).toBeGreaterThan(0.25)
  })

  it('covers the last 500 files only: a drift that ended is forgotten', async () => {
    const watch = await withEvaluation()
    feed(watch, 600)
    expect(watch.rows()).toMatchObject([{ files: 500 }])
    for (let nth = 0; nth < 500; nth++) feed(watch, 1, { risk: (nth % 10) / 10 + 0.05, abstained: nth % 11 === 0 })
    expect(watch.rows()[0]?.risk).toBeLessThan(0.01)
  })

  it('counts the files that arrive while the reference is being read', async () => {
    await evaluated('eval.json', evaluation())
    const watch = new DriftWatch(places, silentLog)
    feed(watch, 250)
    expect(watch.rows()).toMatchObject([{ reference: null, files: 250, risk: null }])
    await expect
      .poll(() => watch.rows())
      .toMatchObject([{ reference: 'evaluation', files: 250, risk: expect.any(Number) }])
  })

  it('remembers twenty detectors, and drops the one unused for longest', async () => {
    const watch = new DriftWatch(places, silentLog)
    const nth = (number: number) => ({ id: `d${number}`, digest: `digest ${number}` })
    for (let number = 0; number < 20; number++) feed(watch, 1, low, nth(number))
    feed(watch, 1, low, nth(0))
    feed(watch, 1, low, nth(20))
    const ids = watch.rows().map(({ detector: id }) => id)
    expect(ids).toHaveLength(20)
    expect(ids).toContain('d0')
    expect(ids).not.toContain('d1')
  })

  it("compares with the detector's first 500 files where the package has no evaluation, also after a restart", async () => {
    const watch = new DriftWatch(places, silentLog)
    expect(await ownReference(watch, spread)).toBeGreaterThanOrEqual(500)
    for (let nth = 0; nth < 199; nth++) watch.saw(detector, spread(nth))
    expect(watch.rows()).toEqual([
      { detector: 'tiny', reference: 'own', files: 199, needed: 200, risk: null, abstention: null },
    ])
    for (let nth = 0; nth < 301; nth++) watch.saw(detector, spread(nth))
    expect(watch.rows()[0]?.risk).toBeLessThan(0.05)
    await expect.poll(() => fs.readdir(places.folder)).toContain(`${detector.digest}.json`)

    const again = new DriftWatch(places, silentLog)
    feed(again, 1)
    await expect.poll(() => again.rows()[0]?.reference).toBe('own')
    feed(again, 500, { risk: 0.97, abstained: false })
    const [shifted] = again.rows()
    expect(shifted).toMatchObject({ reference: 'own', files: 500 })
    expect(shifted?.risk).toBeGreaterThan(0.25)
    expect(shifted?.abstention).toBeGreaterThan(0.1)
  })

  it('continues with a reference that cannot be saved, and reports it', async () => {
    const log = new KeptLog()
    await fs.writeFile(places.folder, 'a file where the folder belongs')
    const watch = new DriftWatch(places, log)
    await ownReference(watch, spread)
    while (log.lines.length === 0) await settle()
    expect(log.lines).toMatchObject([{ level: 'warn', reason: 'data-dir-unusable' }])
    for (let nth = 0; nth < 200; nth++) watch.saw(detector, spread(nth))
    expect(watch.rows()).toMatchObject([{ reference: 'own', files: 200, risk: expect.closeTo(0, 1) }])
  })
})
