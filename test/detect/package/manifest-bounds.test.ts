import { describe, expect, it } from 'vitest'
import { calibrationSchema } from '../../../src/detect/package/calibration-schema.js'
import { imagePreprocessing } from '../../../src/detect/package/image-plan.js'
import { imageViewsPreprocessing } from '../../../src/detect/package/image-views.js'
import { parseManifest } from '../../../src/detect/package/manifest.js'
import { packageFile, relativePath } from '../../../src/detect/package/package-file.js'
import { preprocessingSchema } from '../../../src/detect/package/preprocessing.js'
import { runtimeSchema } from '../../../src/detect/package/runtime.js'
import { partInScores } from '../../../src/detect/package/selection.js'
import { FACES_PLAN } from '../../support/detector-faces.js'
import { tinyManifest } from '../../support/detector-package.js'

const NORMALIZE = { mean: [0.5, 0.5, 0.5], std: [0.25, 0.25, 0.25] }
const IMAGE = {
  kind: 'image',
  resize: { shortSide: 256, kernel: 'lanczos3' },
  crops: { size: 224, positions: 'five' },
  normalize: NORMALIZE,
}
const AUDIO = {
  kind: 'audio',
  sampleRate: 16_000,
  window: { samples: 400, hop: 1 },
  maxWindows: 8,
  padding: 'zero',
  minSpeechShare: 0.5,
  minSpeechSeconds: 0,
}
const TEXT = {
  kind: 'text',
  windowCharacters: 100,
  maxWindows: 1,
  languages: ['en'],
  features: { kind: 'hashed-ngrams', characters: [1, 8], buckets: 1024 },
}
const VIDEO = { kind: 'video', maxFrames: 8, windowSeconds: 2 }
const VIEWS = {
  kind: 'image-views',
  native: { size: 224, count: 5 },
  whole: { shortSide: 224, maxAspect: 1.5, kernel: 'cubic' },
  normalize: NORMALIZE,
}
const REMOTE = { kind: 'remote', url: 'https://a.example/base', model: 'm', input: 'x', output: 'y', timeoutMs: 10 }

/** A copy with one field replaced; `a.b` is a field of a field. */
function having(whole: object, at: string, value: unknown): unknown {
  const copy = structuredClone(whole) as Record<string, unknown>
  const keys = at.split('.')
  const parent = keys.slice(0, -1).reduce((tree, key) => tree[key] as Record<string, unknown>, copy)
  parent[keys.at(-1) as string] = value
  return copy
}

describe('preprocessing', () => {
  it.each<[object, string, unknown, unknown]>([
    [IMAGE, 'resize.shortSide', 8, 7],
    [IMAGE, 'resize.shortSide', 2048, 2049],
    [IMAGE, 'crops.size', 8, 7],
    [IMAGE, 'minShortSide', 1, 0],
    [IMAGE, 'minShortSide', 4096, 4097],
    [IMAGE, 'resize.fit', 'stretch', 'cover'],
    [AUDIO, 'sampleRate', 8000, 7999],
    [AUDIO, 'sampleRate', 48_000, 48_001],
    [AUDIO, 'window.samples', 400, 399],
    [AUDIO, 'window.hop', 1, 0],
    [AUDIO, 'maxWindows', 256, 257],
    [AUDIO, 'maxWindows', 1, 0],
    [AUDIO, 'minSpeechShare', 1, 1.01],
    [AUDIO, 'minSpeechSeconds', 0, -0.1],
    [AUDIO, 'minBandwidthHz', 24_000, 24_001],
    [AUDIO, 'normalize', 'zero-mean-unit-variance', 'zscore'],
    [TEXT, 'minCharacters', 1, 0],
    [TEXT, 'windowCharacters', 100, 99],
    [TEXT, 'maxWindows', 256, 257],
    [TEXT, 'languages', ['en', 'fil'], []],
    [TEXT, 'languages', ['en'], ['e']],
    [TEXT, 'languages', ['fil'], ['engl']],
    [TEXT, 'features.buckets', 2 ** 24, 2 ** 25],
    [TEXT, 'features.buckets', 2048, 2047],
    [TEXT, 'features.buckets', 1024, 512],
    [TEXT, 'features.characters', [1, 8], [0, 8]],
    [TEXT, 'features.characters', [1, 8], [1, 9]],
    [TEXT, 'features.words', [1, 8], [1, 9]],
    [VIDEO, 'maxFrames', 512, 513],
    [VIDEO, 'windowSeconds', 0.1, 0],
    [VIEWS, 'native.count', 16, 17],
    [VIEWS, 'native.size', 32, 31],
    [VIEWS, 'whole.maxAspect', 1, 0.99],
    [VIEWS, 'whole.maxAspect', 4, 4.01],
    [VIEWS, 'faces', FACES_PLAN, { ...FACES_PLAN, minConfidence: 0.04 }],
    [VIEWS, 'faces', { ...FACES_PLAN, minSide: 8 }, { ...FACES_PLAN, minSide: 7 }],
    [VIEWS, 'faces', { ...FACES_PLAN, maxFaces: 16 }, { ...FACES_PLAN, maxFaces: 17 }],
    [VIEWS, 'faces', { ...FACES_PLAN, margin: 0 }, { ...FACES_PLAN, margin: -0.1 }],
    [VIEWS, 'faces', { ...FACES_PLAN, side: 64 }, { ...FACES_PLAN, side: 63 }],
  ])('%j: %s may be %j, never %j', (whole, at, good, bad) => {
    expect(preprocessingSchema.safeParse(having(whole, at, good)).error?.issues).toBeUndefined()
    expect(preprocessingSchema.safeParse(having(whole, at, bad)).success).toBe(false)
  })

  it('takes tokens of a text within the bounds of a model', () => {
    const tokens = {
      kind: 'tokens',
      tokenizer: 'tokenizer.json',
      tokenizerConfig: 'tokenizer_config.json',
      maxTokens: 8,
    }
    const withTokens = (maxTokens: number) =>
      preprocessingSchema.safeParse({ ...TEXT, features: { ...tokens, maxTokens } })
    expect([7, 8, 8192, 8193].map((each) => withTokens(each).success)).toEqual([false, true, true, false])
  })

  it('fills in what a package may leave out', () => {
    expect(imagePreprocessing.parse(IMAGE)).toMatchObject({
      resize: { fit: 'short-side' },
      minShortSide: 32,
      refuseFeatureless: false,
    })
    expect(preprocessingSchema.parse(AUDIO)).toMatchObject({ normalize: 'none' })
    expect(preprocessingSchema.parse(TEXT)).toMatchObject({ minCharacters: 180, features: { style: false } })
    const { side: _, closerSide: __, ...faces } = FACES_PLAN
    expect(imageViewsPreprocessing.parse({ ...VIEWS, faces })).toMatchObject({ faces: { side: 320, closerSide: 640 } })
  })
})

describe('runtime', () => {
  it.each<[string, unknown, unknown]>([
    ['url', 'http://127.0.0.1:8000', 'ftp://a.example'],
    ['url', 'https://a.example', 'https://user@a.example'],
    ['url', 'https://a.example', 'https://:secret@a.example'],
    ['model', 'A.b_c-9', 'a/b'],
    ['model', 'm'.repeat(128), 'm'.repeat(129)],
    ['model', '..', ''],
    ['modelVersion', '3', '3/4'],
    ['timeoutMs', 600_000, 600_001],
    ['timeoutMs', 10, 9],
    ['maxReplyBytes', 64, 63],
    ['maxReplyBytes', 64 * 1024 * 1024, 64 * 1024 * 1024 + 1],
    ['input', ['a', 'b'], []],
    ['input', Array(8).fill('x'), Array(9).fill('x')],
    ['output', 'y'.repeat(500), ''],
  ])('of a model server: %s may be %j, never %j', (at, good, bad) => {
    expect(runtimeSchema.safeParse(having(REMOTE, at, good)).error?.issues).toBeUndefined()
    expect(runtimeSchema.safeParse(having(REMOTE, at, bad)).success).toBe(false)
  })

  it('takes one input by its name as a list of one, and reads 1 MiB of an answer', () => {
    expect(runtimeSchema.parse(REMOTE)).toMatchObject({ input: ['x'], maxReplyBytes: 1024 * 1024 })
  })

  it('holds no field of another kind, such as a token', () => {
    expect(runtimeSchema.safeParse({ ...REMOTE, token: 'x' }).success).toBe(false)
    expect(runtimeSchema.safeParse({ kind: 'module', module: 'main.mjs', model: 'x' }).success).toBe(false)
  })
})

describe('files', () => {
  it.each(['a', 'a/b.onnx', '.hidden', 'a..b', '...', 'a/..b'])('%s is a path inside the package', (name) => {
    expect(relativePath.safeParse(name).success).toBe(true)
  })

  it.each(['', '.', '..', '/', '/a', '../a', 'a/..', 'a/../b', './a', 'a//b', 'a/', 'a\\b', 'a\0b', 'x'.repeat(201)])(
    '%j is none',
    (name) => {
      expect(relativePath.safeParse(name).success).toBe(false)
    },
  )

  it.each([
    { sha256: 'a'.repeat(63), bytes: 1 },
    { sha256: 'g'.repeat(64), bytes: 1 },
    { sha256: 'a'.repeat(64), bytes: 0 },
    { sha256: 'a'.repeat(64), bytes: 1.5 },
    { sha256: 'a'.repeat(64), bytes: 1, mode: 7 },
  ])('%j describes no file', (file) => {
    expect(packageFile.safeParse(file).success).toBe(false)
  })
})

describe('calibration', () => {
  it('takes 2 to 200 knots and 1 to 20 bins', () => {
    const knots = (count: number) =>
      calibrationSchema.safeParse({
        kind: 'isotonic',
        logits: Array.from({ length: count }, (_, nth) => nth),
        risks: Array.from({ length: count }, (_, nth) => nth / count),
      }).success
    expect([1, 2, 200, 201].map(knots)).toEqual([false, true, true, false])
    const bins = (count: number) =>
      calibrationSchema.safeParse({
        kind: 'by-length',
        bins: Array.from({ length: count }, (_, nth) => ({
          slope: 1,
          intercept: 0,
          ...(nth < count - 1 ? { upTo: nth + 1 } : {}),
        })),
      }).success
    expect([0, 1, 20, 21].map(bins)).toEqual([false, true, true, false])
  })

  it.each([
    { kind: 'isotonic', logits: [0, 1], risks: [0, 1.01] },
    { kind: 'isotonic', logits: [1, 0], risks: [0, 1] },
    { kind: 'platt', slope: 0, intercept: 0 },
    { kind: 'platt', slope: 1, intercept: 0, upTo: 5 },
    {
      kind: 'by-length',
      bins: [
        { upTo: 5, slope: -1, intercept: 0 },
        { slope: 1, intercept: 0 },
      ],
    },
    {
      kind: 'by-length',
      bins: [
        { upTo: 5, slope: 1, intercept: 0 },
        { upTo: 5, slope: 1, intercept: 0 },
        { slope: 1, intercept: 0 },
      ],
    },
    { kind: 'temperature', temperature: -1 },
  ])('refuses %j, which would not be monotone or is malformed', (calibration) => {
    expect(calibrationSchema.safeParse(calibration).success).toBe(false)
  })

  it('a risk that stays the same between knots is monotone too', () => {
    expect(calibrationSchema.safeParse({ kind: 'isotonic', logits: [0, 1], risks: [0.5, 0.5] }).success).toBe(true)
  })
})

describe('what a whole manifest must agree on', () => {
  const FILES = { 'model.onnx': Buffer.from('m'), 'selftest.png': Buffer.from('s') }
  const parse = (fields: object) => parseManifest(JSON.stringify({ ...tinyManifest('tiny', FILES), ...fields }), 'x')

  it.each([
    [{ outputKind: 'class-logits' }, 'fakeClasses'],
    [{ fakeClasses: [1] }, 'fakeClasses'],
    [{ outputKind: 'class-logits', fakeClasses: [] }, 'fakeClasses'],
    [{ preprocessing: { kind: 'none' } }, 'preprocessing.kind'],
    [{ runtime: { kind: 'module', module: 'model.onnx' } }, 'preprocessing.kind'],
    [{ runtime: { kind: 'composed', frames: 'a' } }, 'preprocessing.kind'],
    [{ preprocessing: VIDEO, mediaTypes: ['video_short'] }, 'preprocessing.kind'],
    [{ preprocessing: AUDIO }, 'mediaTypes.0'],
    [{ decisionBand: { low: 0.6, high: 0.5 } }, 'decisionBand.low'],
    [{ weight: 0 }, 'weight'],
    [{ weight: 1001 }, 'weight'],
    [{ version: '1.0' }, 'version'],
    [{ variantOf: 'Bad Id' }, 'variantOf'],
    [{ selfTest: { file: 'selftest.png', risk: 0.5, tolerance: 0.51 } }, 'selfTest.tolerance'],
    [{ title: 'x'.repeat(501) }, 'title'],
    [
      {
        preprocessing: {
          ...TEXT,
          features: { kind: 'tokens', tokenizer: 'no.json', tokenizerConfig: 'model.onnx', maxTokens: 8 },
        },
        mediaTypes: ['text'],
      },
      'preprocessing.features.tokenizer',
    ],
  ])('%j is refused at %s', (fields, at) => {
    expect(() => parse(fields)).toThrow(`  ${at}: `)
  })

  it.each([
    [{ outputKind: 'class-logits', fakeClasses: [0, 2] }],
    [{ preprocessing: AUDIO, mediaTypes: ['audio'] }],
    [{ preprocessing: TEXT, mediaTypes: ['text'] }],
    [{ preprocessing: VIDEO, runtime: { kind: 'composed', frames: 'a' }, mediaTypes: ['video_short', 'video_long'] }],
    [
      {
        preprocessing: { kind: 'none' },
        runtime: { kind: 'module', module: 'model.onnx' },
        mediaTypes: ['image', 'text'],
      },
    ],
    [{ decisionBand: { low: 0.5, high: 0.5 } }],
    [{ version: '1.0.0-rc.1' }],
    [{ preprocessing: { ...IMAGE, crops: { size: 256, positions: 'center' } } }],
  ])('%j is taken', (fields) => {
    expect(() => parse(fields)).not.toThrow()
  })

  it('one that leaves them out has weight 1, no shadow and no probe', () => {
    expect(parse({})).toMatchObject({ weight: 1, shadow: false, stabilityProbe: false })
  })

  it('names every bad field at once', () => {
    const fields = { version: 'x', weight: -1, selfTest: { file: 'selftest.png', risk: 2, tolerance: 0 } }
    for (const at of ['version', 'weight', 'selfTest.risk']) expect(() => parse(fields)).toThrow(`  ${at}: `)
  })
})

describe('partInScores', () => {
  const manifest = { weight: 2, shadow: true }
  it.each([
    [{ id: 'a' }, { weight: 2, shadow: true }],
    [
      { id: 'a', weight: 5 },
      { weight: 5, shadow: false },
    ],
    [
      { id: 'a', weight: 5, shadow: true },
      { weight: 5, shadow: true },
    ],
    [
      { id: 'a', shadow: false },
      { weight: 2, shadow: false },
    ],
    [
      { id: 'a', canary: 10 },
      { weight: 2, shadow: false, canary: 10 },
    ],
  ])("%j: the operator's word counts before that of the package", (choice, part) => {
    expect(partInScores(choice, manifest)).toEqual(part)
  })
})
