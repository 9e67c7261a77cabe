import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { manifestDigest, parseManifest } from '../../../src/detect/package/manifest.js'
import { FACES_PLAN, FUSION } from '../../support/detector-faces.js'
import { NO_FILES, parsedTinyManifest, tinyManifest } from '../../support/detector-package.js'
import { withReason } from '../../support/with-reason.js'
import { AUDIO, having, IMAGE, TEXT, VIDEO } from './plans.js'

/** What makes the tiny manifest one for several views. */
const VIEWS = {
  runtime: {
    kind: 'onnx-views',
    whole: 'model.onnx',
    face: 'model.onnx',
    input: 'pixels',
    output: 'logit',
  },
  preprocessing: {
    kind: 'image-views',
    whole: { shortSide: 224, maxAspect: 1.5, kernel: 'lanczos3' },
    faces: { ...FACES_PLAN, finder: 'model.onnx' },
    normalize: { mean: [0.5, 0.5, 0.5], std: [0.25, 0.25, 0.25] },
  },
  fusion: FUSION,
}
/** What makes it one over the encoder of another package. */
const ENCODED = {
  mediaTypes: ['audio'],
  runtime: {
    kind: 'onnx-encoded',
    view: 'model.onnx',
    input: 'samples',
    encoder: 'tiny-encoder',
    model: 'model.onnx',
    output: 'logit',
  },
  preprocessing: AUDIO,
}

/** A good manifest with one field set, or removed where the value is undefined. */
const spoilt = (at: string, value: unknown, fields: object = {}) =>
  JSON.stringify(having({ ...tinyManifest('tiny', NO_FILES), ...fields }, at, value))

const file = { sha256: 'a'.repeat(64), bytes: 1 }

describe('parseManifest', () => {
  it('accepts a complete manifest and fills in the smallest side', () => {
    const manifest = parseManifest(spoilt('version', '2.1.0'), 'x')
    expect(manifest.version).toBe('2.1.0')
    expect(manifest.preprocessing).toMatchObject({ minShortSide: 32 })
  })

  it.each([
    ['calibration', { kind: 'platt', slope: 1.5, intercept: -0.2 }],
    ['calibration', { kind: 'identity', prior: 0.5 }],
    ['outputKind', 'probability'],
    ['aggregation', 'max'],
    ['stabilityProbe', true],
    ['stabilityProbe', { withinLogit: 0.5 }],
  ])('accepts %s = %o', (path, value) => {
    expect(() => parseManifest(spoilt(path, value), 'x')).not.toThrow()
  })

  it.each([
    ['schema', 2, 'schema'],
    ['calibration', { kind: 'identity', prior: 0.1 }, 'calibration.prior: must be 0.5'],
    ['id', 'Bad Id', 'id'],
    ['id', '../x', 'id'],
    ['version', 'one', 'version'],
    ['titel', 'misspelt', 'titel'],
    ['title', undefined, 'title'],
    ['mediaTypes', [], 'mediaTypes'],
    ['mediaTypes', ['picture'], 'mediaTypes.0'],
    ['mediaTypes', ['image', 'audio'], 'mediaTypes.1'],
    ['runtime.kind', 'tensorflow', 'runtime.kind'],
    ['runtime.model', 'other.onnx', 'runtime.model'],
    ['runtime.model', '../model.onnx', 'runtime.model'],
    ['files', { 'model.onnx': file, 'selftest.png': file, '../../etc/passwd': file }, 'files.../../etc/passwd'],
    ['files', { 'model.onnx': { ...file, sha256: 'A'.repeat(64) }, 'selftest.png': file }, 'files.model.onnx.sha256'],
    ['preprocessing.resize.kernel', 'hamming', 'preprocessing.resize.kernel'],
    ['preprocessing.crops.size', 512, 'preprocessing.crops.size'],
    ['preprocessing.faces', FACES_PLAN, 'faces'],
    ['fusion', FUSION, 'fusion'],
    ['stabilityProbe', { withinLogit: 0 }, 'stabilityProbe'],
    ['preprocessing.normalize.std', [1, 0, 1], 'preprocessing.normalize.std.1'],
    ['preprocessing.normalize.mean', [0, 0], 'preprocessing.normalize.mean'],
    ['outputKind', 'percent', 'outputKind'],
    ['calibration', { kind: 'platt', slope: -1, intercept: 0 }, 'calibration.slope'],
    ['decisionBand', { low: -0.1, high: 0.2 }, 'decisionBand.low'],
    ['selfTest.file', 'absent.jpg', 'selfTest.file'],
    ['selfTest.risk', 1.2, 'selfTest.risk'],
    ['training', { data: 'x' }, 'training.license'],
  ])('refuses %s = %o and names the field %s', (path, value, named) => {
    const act = () => parseManifest(spoilt(path, value), '/models/tiny/detector.json')
    expect(act).toThrow(withReason('manifest-invalid', named))
    expect(act).toThrow(/^\/models\/tiny\/detector.json is not accepted:/)
  })

  it.each([
    ['for several views', 'version', '2.1.0', VIEWS],
    ['for several views whose whole view is an encoder', 'runtime.features', 'features', VIEWS],
    ['over the encoder of another package', 'version', '2.1.0', ENCODED],
  ])('takes a manifest %s', (_, at, value, fields) => {
    expect(() => parseManifest(spoilt(at, value, fields), 'x')).not.toThrow()
  })

  it('lets the whole view state where faces are searched only if they are searched', () => {
    const { runtime, preprocessing, fusion } = structuredClone(VIEWS) as Record<string, Record<string, unknown>>
    for (const line of [runtime, preprocessing, fusion])
      for (const key of ['face', 'faces', 'withFaces']) delete line?.[key]
    const parse = () => parseManifest(spoilt('version', '2.1.0', { runtime, preprocessing, fusion }), 'x')
    expect(parse).not.toThrow()
    Object.assign(fusion!, { facesBetween: [-1, 1], portraits: { minShare: 0.1, shift: 1 } })
    expect(parse).toThrow(/fusion\.facesBetween.*\n.*fusion\.portraits/)
  })

  it.each([
    ['fusion', undefined, 'fusion'],
    ['fusion', { withoutFaces: FUSION.withoutFaces }, 'fusion.withFaces'],
    ['fusion.withFaces.face', -1, 'fusion.withFaces.face'],
    ['fusion.facesBetween', [2, 1], 'fusion.facesBetween'],
    ['fusion.portraits', { minShare: 0, shift: 1 }, 'fusion.portraits.minShare'],
    ['fusion.portraits', { minShare: 0.1, shift: -1 }, 'fusion.portraits.shift'],
    ['runtime.face', undefined, 'runtime.face'],
    ['runtime', { kind: 'onnx', model: 'model.onnx', input: 'pixels', output: 'logit' }, 'preprocessing.kind'],
    ['preprocessing.faces', undefined, 'runtime.face'],
    ['runtime.features', '', 'runtime.features'],
    ['runtime.head', 'model.onnx', 'runtime.features'],
    ['runtime.head', 'other.onnx', 'runtime.head'],
    ['preprocessing.faces.finder', 'other.onnx', 'preprocessing.faces.finder'],
    ['outputKind', 'probability', 'outputKind'],
    ['mediaTypes', ['audio'], 'mediaTypes.0'],
  ])('of several views refuses %s = %o and names the field %s', (path, value, named) => {
    const act = () => parseManifest(spoilt(path, value, VIEWS), 'x')
    expect(act).toThrow(withReason('manifest-invalid', `  ${named}: `))
  })

  it.each([
    ['runtime.view', 'other.onnx', 'runtime.view'],
    ['runtime.model', 'other.onnx', 'runtime.model'],
    ['runtime.view', undefined, 'runtime.view'],
    ['runtime.model', undefined, 'runtime.model'],
    ['runtime.encoder', undefined, 'runtime.encoder'],
    ['preprocessing', VIEWS.preprocessing, 'preprocessing.kind'],
    ['preprocessing', VIDEO, 'preprocessing.kind'],
    ['preprocessing', { kind: 'none' }, 'preprocessing.kind'],
  ])('over the encoder of another package refuses %s = %o and names the field %s', (path, value, named) => {
    const act = () => parseManifest(spoilt(path, value, ENCODED), 'x')
    expect(act).toThrow(withReason('manifest-invalid', `  ${named}: `))
  })

  it.each(['', '{', '[]', 'null', '"x"'])('refuses %j', (text) => {
    expect(() => parseManifest(text, 'x')).toThrow(withReason('manifest-invalid'))
  })
})

it('manifestDigest is the sha256 of the text', () => {
  expect(manifestDigest('{"a":1}')).toBe(createHash('sha256').update('{"a":1}').digest('hex'))
})

describe('consistency of a whole manifest', () => {
  const parse = (fields: Record<string, unknown>) => parsedTinyManifest('tiny', fields)

  it.each([
    [{ outputKind: 'class-logits' }, 'fakeClasses'],
    [{ fakeClasses: [1] }, 'fakeClasses'],
    [{ outputKind: 'class-logits', fakeClasses: [] }, 'fakeClasses'],
    [{ classes: 2 }, 'classes'],
    [{ outputKind: 'class-logits', fakeClasses: [2], classes: 2 }, 'classes'],
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
    [
      {
        preprocessing: {
          ...TEXT,
          features: {
            ...TEXT.features,
            tokens: { tokenizer: 'model.onnx', tokenizerConfig: 'no.json', maxTokens: 8 },
          },
        },
        mediaTypes: ['text'],
      },
      'preprocessing.features.tokens.tokenizerConfig',
    ],
  ])('%j is refused at %s', (fields, at) => {
    expect(() => parse(fields)).toThrow(`  ${at}: `)
  })

  it.each([
    [{ outputKind: 'class-logits', fakeClasses: [0, 2] }],
    [{ outputKind: 'class-logits', fakeClasses: [0, 2], classes: 3 }],
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
  ])('%j is accepted', (fields) => {
    expect(() => parse(fields)).not.toThrow()
  })

  it('without these fields it has weight 1, no shadow and no probe', () => {
    expect(parse({})).toMatchObject({ weight: 1, shadow: false, stabilityProbe: false })
  })

  it('names every bad field at once', () => {
    const fields = { version: 'x', weight: -1, selfTest: { file: 'selftest.png', risk: 2, tolerance: 0 } }
    for (const at of ['version', 'weight', 'selfTest.risk']) expect(() => parse(fields)).toThrow(`  ${at}: `)
  })
})
