import { describe, expect, it } from 'vitest'
import { createPartsDetector } from '../../../src/detect/child/parts-detector.js'
import type { ModelInput, ReadMedia } from '../../../src/detect/contract/medium-reader.js'
import { logitOf } from '../../../src/detect/scoring/calibration.js'
import { parsedTinyManifest } from '../../support/detector-package.js'
import { ManualClock } from '../../support/manual-clock.js'
import { unwatched } from '../../support/unwatched-parsers.js'
import { withReason } from '../../support/with-reason.js'

const input = (value: number): ModelInput => ({ type: 'float32', values: Float32Array.of(value), shape: [1] })
const part = (name: string, value: number) => ({ name, inputs: [input(value)] })

/** A detector of a medium whose parts are numbers, and whose model returns the number. */
function detectorOf(
  parts: Record<string, number>,
  fields: Record<string, unknown> = {},
  variants: Record<string, number> = {},
  others: Record<string, number> = {},
) {
  const clock = new ManualClock()
  const asked: number[] = []
  const media: ReadMedia = {
    summary: 'numbers',
    length: 7,
    parts: () => Object.entries(parts).map(([name, value]) => part(name, value)),
    async *variants() {
      for (const [name, value] of Object.entries(variants)) yield { name, parts: [part('all', value)] }
    },
    async *others() {
      for (const [name, value] of Object.entries(others)) yield { name, parts: [part('all', value)] }
    },
    async *spotCheck() {
      yield { name: 'elsewhere', parts: [part('there', 5)] }
    },
  }
  const read = async () => {
    clock.tick(30)
    return media
  }
  const model = {
    run: async ([first]: readonly ModelInput[]) => {
      const value = Number(first?.values[0])
      asked.push(value)
      clock.tick(5)
      return Float32Array.of(value)
    },
  }
  const manifest = parsedTinyManifest('tiny', fields)
  const tools = { timeoutSeconds: 1, ffmpeg: null, clock, parsers: unwatched }
  return { asked, detector: createPartsDetector({ folder: '/', digest: '', manifest }, read, model, tools) }
}

describe('a detector that scores in parts', () => {
  const FOUR = { a: 1, b: 4, c: -1, d: 0 }

  it.each([
    ['mean', 1],
    ['max', 4],
    ['top-mean', 4],
  ])('combines them by %s', async (aggregation, rawScore) => {
    expect(await detectorOf(FOUR, { aggregation }).detector.measure('f')).toMatchObject({ rawScore })
  })

  it('scores them in order, and reports the highest first', async () => {
    const { asked, detector } = detectorOf(FOUR)
    const { parts, notes, length } = await detector.measure('f')
    expect(asked).toEqual([1, 4, -1, 0])
    expect(parts.map(({ name }) => name)).toEqual(['b', 'a', 'd', 'c'])
    expect(notes).toBe('numbers; 4 parts, logit -1.00 to 4.00, highest b')
    expect(length).toBe(7)
  })

  it('reports at most 32 parts, the earlier ones first among equals', async () => {
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, nth) => [`p${nth}`, nth < 39 ? 0 : 1]))
    const { parts } = await detectorOf(many).detector.measure('f')
    expect(parts).toHaveLength(32)
    expect(parts.slice(0, 3).map(({ name }) => name)).toEqual(['p39', 'p0', 'p1'])
  })

  it('takes a probability of the model as it is', async () => {
    const { parts } = await detectorOf({ a: 0.75 }, { outputKind: 'probability' }).detector.measure('f')
    expect(parts[0]?.rawScore).toBeCloseTo(logitOf(0.75), 12)
  })

  it('separates the time of reading from that of the model', async () => {
    expect((await detectorOf(FOUR).detector.measure('f')).elapsedMs).toEqual({ decode: 30, infer: 20 })
  })

  it.each([
    ['a file without a part', {}, /no part/],
    ['a model that returns no number', { a: Number.NaN }, /not a number/],
  ])('fails on %s', async (_, parts, message) => {
    const act = detectorOf(parts as Record<string, number>).detector.measure('f')
    await expect(act).rejects.toThrow(withReason('detector-failed', message))
  })

  it('scores pictures of another detector only where it is one of pictures', () => {
    expect(detectorOf(FOUR).detector.scorePicture).toBeTypeOf('function')
    const text = {
      kind: 'text',
      windowCharacters: 100,
      maxWindows: 1,
      languages: ['en'],
      features: { kind: 'hashed-ngrams', characters: [1, 2], buckets: 1024 },
    }
    expect(detectorOf(FOUR, { preprocessing: text, mediaTypes: ['text'] }).detector.scorePicture).toBeUndefined()
  })
})

describe('other views of the same file', () => {
  const scored = async (value: number, probe: number | null) => {
    const fields = { stabilityProbe: false, decisionBand: { low: 0.4, high: 0.6 } }
    return (await detectorOf({ a: value }, fields, { smaller: 1 }, { left: -2 }).detector.measure('f', probe)).variants
  }

  it('are scored for a verdict, also by a package without a stability probe', async () => {
    expect(await scored(3, 0.5)).toEqual([{ name: 'left', rawScore: -2 }])
  })

  it('are not scored where the risk is inside the band, or no verdict is requested', async () => {
    expect(await scored(0.1, 0.5)).toEqual([])
    expect(await scored(3, null)).toEqual([])
  })
})

it('checks parts elsewhere for the verdict "real" only', async () => {
  const fields = { stabilityProbe: false, decisionBand: { low: 0.4, high: 0.6 } }
  const variantsOf = async (value: number, share: number | null) =>
    (await detectorOf({ a: value }, fields).detector.measure('f', share)).variants
  expect(await variantsOf(-3, 0.5)).toEqual([{ name: 'elsewhere', rawScore: 5 }])
  for (const [value, share] of [
    [3, 0.5],
    [0, 0.5],
    [-3, null],
  ] as const)
    expect(await variantsOf(value, share)).toEqual([])
})

describe('the stability probe', () => {
  const VARIANTS = { smaller: 1, louder: -2 }
  const probed = async (value: number, stabilityProbe: unknown, probe: number | null = 0.5) => {
    const fields = { stabilityProbe, decisionBand: { low: 0.4, high: 0.6 } }
    return (await detectorOf({ a: value }, fields, VARIANTS).detector.measure('f', probe)).variants
  }

  it('scores re-encodings where the package and the job ask for it', async () => {
    expect(await probed(3, true)).toEqual([
      { name: 'smaller', rawScore: 1 },
      { name: 'louder', rawScore: -2 },
    ])
  })

  it.each([
    ['the job does not', 3, true, null],
    ['the package does not', 3, false, 0.5],
    ['the risk is inside it at the expected share', 3, true, 0.05],
  ])('does not where %s', async (_, value, stabilityProbe, probe) => {
    expect(await probed(value, stabilityProbe, probe)).toEqual([])
  })
})
