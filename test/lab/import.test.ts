import { readFileSync } from 'node:fs'
import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import sharp from 'sharp'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../src/core/clock.js'
import { packagePath } from '../../src/core/files.js'
import { parseManifest } from '../../src/detect/package/manifest.js'
import { sigmoid } from '../../src/detect/scoring/calibration.js'
import { type ImportOptions, importPackage } from '../../src/lab/import/import-package.js'
import { DetectorBench } from '../support/detector-bench.js'
import { speechLike } from '../support/speech.js'
import { folderForAll } from '../support/temporary-folder.js'
import { betweenMarks, wordTokenizer } from '../support/text-package.js'
import {
  FLOAT16,
  INT32,
  maskedWaveformClassifier,
  pixelClassifier,
  splitPixelClassifier,
  tokenClassifier,
  UINT8,
  waveformClassifier,
} from '../support/tiny-classifiers.js'
import { wavFile } from '../support/wav-file.js'
import { withReason } from '../support/with-reason.js'

/** Five seconds. */
const VOICE = wavFile(speechLike(5, 16_000), { rate: 16_000 })
const TEXT = readFileSync(packagePath('samples', 'northanger-abbey.txt'), 'utf8')

const bench = DetectorBench.forAll()
const exports = folderForAll()
afterEach(() => fs.rm(bench.modelsDir, { recursive: true, force: true }))

/** Writes an export; objects become JSON. */
async function writeExport(name: string, files: Record<string, Uint8Array | string | object>): Promise<string> {
  const folder = path.join(exports, name)
  for (const [file, content] of Object.entries(files)) {
    const plain = typeof content === 'string' || content instanceof Uint8Array
    await fs.mkdir(path.dirname(path.join(folder, file)), { recursive: true })
    await fs.writeFile(path.join(folder, file), plain ? content : JSON.stringify(content))
  }
  return folder
}

function importIt(folder: string, own: Partial<ImportOptions> = {}) {
  return importPackage({
    folder,
    model: null,
    id: null,
    fakeLabels: null,
    languages: ['en'],
    windowSeconds: null,
    check: null,
    modelsDir: bench.modelsDir,
    measuring: {
      clock: systemClock,
      ffmpeg: null,
      remoteToken: null,
      timeoutMs: 30_000,
      memoryBytes: 2 ** 31,
      signal: new AbortController().signal,
    },
    ...own,
  })
}

const IMAGE_CONFIG = { architectures: ['ViTForImageClassification'], id2label: { 0: 'Realism', 1: 'Deepfake' } }
const IMAGE_PROCESSOR = {
  image_processor_type: 'ViTImageProcessor',
  do_resize: true,
  size: { height: 32, width: 32 },
  resample: 3,
  do_rescale: true,
  rescale_factor: 1 / 255,
  do_normalize: true,
  image_mean: [0.5, 0.4, 0.3],
  image_std: [0.25, 0.2, 0.1],
}
const WEIGHTS = [
  [1, -1, 0.5],
  [-0.5, 0.25, 1],
] as const
const BIAS = [0.1, -0.3]
const PIXELS = pixelClassifier(WEIGHTS, BIAS)
/** An export of an image classifier. */
const IMAGE = { 'config.json': IMAGE_CONFIG, 'preprocessor_config.json': IMAGE_PROCESSOR, 'model.onnx': PIXELS }
const SPEECH = {
  'config.json': { architectures: ['Wav2Vec2ForSequenceClassification'], id2label: { 0: 'spoof', 1: 'bonafide' } },
  'preprocessor_config.json': { sampling_rate: 16_000, do_normalize: true },
}

/** A picture of one color, and what the network gives for it, real and fake. */
const COLOR = { r: 200, g: 90, b: 30 }
const plain = (width = 90) =>
  sharp({ create: { width, height: 60, channels: 3, background: COLOR } })
    .png()
    .toBuffer()
const [X, Y, Z] = [(200 / 255 - 0.5) / 0.25, (90 / 255 - 0.4) / 0.2, (30 / 255 - 0.3) / 0.1] as const
const LOGITS = [X - Y + 0.5 * Z + 0.1, -0.5 * X + 0.25 * Y + Z - 0.3] as const
const MARGIN = LOGITS[1] - LOGITS[0]

/** The risk of the plain picture by an imported package. */
async function riskOfPlain(id: string): Promise<number> {
  const host = await bench.start({ detectors: [{ id }] })
  return (await host.detect({ file: await bench.write('plain.png', await plain()), mediaType: 'image' })).risk
}

describe('models import', () => {
  it('an export, after an import that was killed with its copy of the weights', async () => {
    const host = os.hostname().replaceAll(/[^a-zA-Z0-9.-]/g, '-')
    const left = path.join(bench.modelsDir, `.import-${host}_${process.pid}_aa`)
    await fs.mkdir(left, { recursive: true })
    await fs.writeFile(path.join(left, 'model.onnx'), 'weights')
    await importIt(await writeExport('after-kill', IMAGE))
    const names = await fs.readdir(bench.modelsDir)
    expect(names).toContain('after-kill')
    expect(names).not.toContain(path.basename(left))
  })

  it('an image classifier, scored by the real host as arithmetic states', async () => {
    const folder = await writeExport('ViT Deepfake', {
      'config.json': IMAGE_CONFIG,
      'preprocessor_config.json': IMAGE_PROCESSOR,
      'onnx/model.onnx': PIXELS,
      'README.md': '---\nlicense: apache-2.0\ntags: [x]\n---\n# Model',
    })
    const { manifest, classes } = await importIt(folder)
    expect(manifest).toMatchObject({
      id: 'vit-deepfake',
      mediaTypes: ['image'],
      fakeClasses: [1],
      classes: 2,
      license: 'apache-2.0, as the export states',
    })
    expect(manifest.preprocessing).toMatchObject({
      resize: { shortSide: 32, fit: 'stretch', kernel: 'cubic' },
      crops: { size: 32 },
    })
    expect(classes.labels).toEqual(['Realism', 'Deepfake'])

    expect(await riskOfPlain('vit-deepfake')).toBeCloseTo(sigmoid(MARGIN), 5)
  })

  it('an export with weights in a second file, and with the processor file of transformers 5', async () => {
    const { model, data } = splitPixelClassifier(WEIGHTS, BIAS, 'parts/weights.bin')
    const folder = await writeExport('split', {
      'config.json': IMAGE_CONFIG,
      'processor_config.json': { image_processor: IMAGE_PROCESSOR },
      'onnx/model.onnx': model,
      'onnx/parts/weights.bin': data,
    })
    await fs.chmod(path.join(folder, 'onnx/parts/weights.bin'), 0o600)
    const umask = process.umask(0o077)
    onTestFinished(() => void process.umask(umask))
    const { folder: made, manifest } = await importIt(folder)
    const modeOf = async (name: string) => (await fs.stat(path.join(made, name))).mode & 0o777
    expect([await modeOf('parts/weights.bin'), await modeOf('parts'), await modeOf('.')]).toEqual([0o644, 0o755, 0o755])
    expect(manifest.runtime).toMatchObject({ model: 'model.onnx', data: 'parts/weights.bin' })
    expect(Object.keys(manifest.files)).toContain('parts/weights.bin')
    expect(await riskOfPlain('split')).toBeCloseTo(sigmoid(MARGIN), 5)
  })

  it('a network with inputs and outputs of 16-bit floats', async () => {
    await importIt(await writeExport('halves', { ...IMAGE, 'model.onnx': pixelClassifier(WEIGHTS, BIAS, FLOAT16) }))
    expect(await riskOfPlain('halves')).toBeCloseTo(sigmoid(MARGIN), 2)
  })

  it('one that ends in a softmax is refused, and the one number of a sigmoid is a probability', async () => {
    const softmax = { ...IMAGE, 'model.onnx': pixelClassifier(WEIGHTS, BIAS, undefined, 'Softmax') }
    await expect(importIt(await writeExport('softmax', softmax))).rejects.toThrow(
      withReason('import-unsupported', 'ends in a Softmax'),
    )
    const sigmoids = pixelClassifier([[-1.5, 1.25, 0.5]], [-0.4], undefined, 'Sigmoid')
    const one = { ...IMAGE, 'config.json': { id2label: { 0: 'fake' } }, 'model.onnx': sigmoids }
    const original = { 'a.png': await plain(), 'logits.json': { 'a.png': [MARGIN] } }
    const check = await writeExport('sigmoid-reference', original)
    const { manifest, agreement } = await importIt(await writeExport('sigmoid', one), { check })
    expect(manifest.outputKind).toBe('probability')
    expect(agreement?.largest).toBeLessThan(1e-4)
    expect(await riskOfPlain('sigmoid')).toBeCloseTo(sigmoid(MARGIN), 4)
  })

  it('one of free sizes that takes the color channels last is refused, and its fix is named', async () => {
    const last = { ...IMAGE, 'model.onnx': pixelClassifier(WEIGHTS, BIAS, undefined, undefined, [0, 3, 1, 2]) }
    await expect(importIt(await writeExport('channels-last', last))).rejects.toMatchObject({
      reason: 'import-unsupported',
      fix: expect.stringContaining('channels come last'),
    })
  })

  it('a network that takes bytes', async () => {
    const weights = WEIGHTS.map((row) => row.map((weight) => weight / 100) as [number, number, number])
    await importIt(await writeExport('bytes', { ...IMAGE, 'model.onnx': pixelClassifier(weights, BIAS, UINT8) }))
    const [real, fake] = [2 - 0.9 + 0.15 + 0.1, -1 + 0.225 + 0.3 - 0.3]
    expect(await riskOfPlain('bytes')).toBeCloseTo(sigmoid(fake - real), 5)
  })

  it('the difference to the original is in the card', async () => {
    const folder = await writeExport('checked', IMAGE)
    const check = await writeExport('references', {
      'a.png': await plain(),
      'sub/b.png': await plain(100),
      'small.png': await plain(9),
      'logits.json': { 'a.png': LOGITS, 'sub/b.png': [LOGITS[0] + 0.5, LOGITS[1]], 'small.png': [0, 0] },
    })
    const { agreement, folder: made } = await importIt(folder, { check })
    expect(agreement).toMatchObject({ compared: 2, worst: 'sub/b.png', refused: ['small.png (media-too-small)'] })
    expect(agreement?.largest).toBeCloseTo(0.5, 4)
    expect(agreement?.mean).toBeCloseTo(0.25, 4)
    expect(await fs.readFile(path.join(made, 'card.md'), 'utf8')).toMatch(
      /## Agreement with the original\n\nCompared with the original on 2 files: mean difference of the logit 0\.2500/,
    )
  })

  it.each<[string, Record<string, unknown> | null, RegExp]>([
    ['are missing', null, /holds no logits\.json/],
    ['name nothing', {}, /logits\.json is not accepted/],
    ['are no numbers', { 'a.png': ['x'] }, /logits\.json is not accepted/],
    ['name a file that is not there', { 'b.png': [0, 1] }, /names b\.png, which is not a file/],
    ['have another number of classes', { 'a.png': [0, 1, 2] }, /a\.png has 3 logits, the package 2/],
    ['are of refused files alone', { 'small.png': [0, 1] }, /refuses every file: small\.png \(media-too-small\)/],
  ])('references that %s end the import', async (name, logits, message) => {
    const folder = await writeExport(`unchecked ${name}`, IMAGE)
    const pictures = { 'a.png': await plain(), 'small.png': await plain(9) }
    const stated = logits === null ? {} : { 'logits.json': logits }
    const check = await writeExport(`references that ${name}`, { ...pictures, ...stated })
    await expect(importIt(folder, { check })).rejects.toThrow(withReason('import-unsupported', message))
    expect(await fs.readdir(bench.modelsDir).catch(() => [])).toEqual([])
  })

  it('an audio classifier that takes an attention mask', async () => {
    const model = maskedWaveformClassifier([1.5, -0.5], [0.2, 0.4])
    await importIt(await writeExport('masked', { ...SPEECH, 'model.onnx': model }), { windowSeconds: 10 })
    const host = await bench.start({ detectors: [{ id: 'masked' }] })
    const { risk } = await host.detect({ file: await bench.write('voice.wav', VOICE), mediaType: 'audio' })
    // 5 of 10 seconds: half of the mean square, which is 1 when leveled, times half of the mask.
    expect(risk).toBeCloseTo(sigmoid(2 * 0.25 + 0.2 - 0.4), 4)
  })

  it('an audio classifier of the raw waveform, leveled as by its feature extractor', async () => {
    const model = waveformClassifier([1.5, -0.5], [0.2, 0.4])
    const folder = await writeExport('wav2vec', {
      ...SPEECH,
      'preprocessor_config.json': {
        feature_extractor_type: 'Wav2Vec2FeatureExtractor',
        ...SPEECH['preprocessor_config.json'],
      },
      'model.onnx': model,
    })
    const { manifest } = await importIt(folder, { windowSeconds: 2 })
    expect(manifest).toMatchObject({
      mediaTypes: ['audio'],
      fakeClasses: [0],
      preprocessing: { window: { samples: 32_000 } },
    })

    const host = await bench.start({ detectors: [{ id: 'wav2vec' }] })
    const { risk } = await host.detect({ file: await bench.write('voice.wav', VOICE), mediaType: 'audio' })
    // Whatever the loudness, the mean square of a leveled window is 1.
    expect(risk).toBeCloseTo(sigmoid(1.5 + 0.2 - (-0.5 + 0.4)), 4)
  })

  it('a waveform classifier with one logit, which takes a recording at its own length', async () => {
    const folder = await writeExport('one', {
      ...SPEECH,
      'config.json': { id2label: { 0: 'spoof' } },
      'model.onnx': waveformClassifier([1.5], [0.2]),
    })
    const { manifest, guesses } = await importIt(folder)
    expect(manifest).toMatchObject({ outputKind: 'logit', preprocessing: { padding: 'none', minSpeechShare: 0 } })
    expect(manifest.classes).toBeUndefined()
    expect(guesses).toHaveLength(3)
    const host = await bench.start({ detectors: [{ id: 'one' }] })
    const file = await bench.write('voice.wav', VOICE)
    const { risk } = await host.detect({ file, mediaType: 'audio' })
    expect(risk).toBeCloseTo(sigmoid(1.5 + 0.2), 4)
  })

  it('a text classifier with its tokenizer; a long text is cut and keeps its end token', async () => {
    const vocab = { '[PAD]': 0, '[UNK]': 1, '[CLS]': 2, '[SEP]': 3, the: 4, a: 5, of: 6, ferry: 7 }
    const folder = await writeExport('text', {
      'config.json': {
        architectures: ['BertForSequenceClassification'],
        id2label: { 0: 'Human', 1: 'Machine' },
        max_position_embeddings: 40,
      },
      'model.onnx': tokenClassifier([0.3, -0.2], [0, 0.5]),
      'tokenizer.json': bertTokenizer(vocab),
      'tokenizer_config.json': { tokenizer_class: 'BertTokenizer', model_max_length: 512 },
    })
    const { manifest } = await importIt(folder)
    expect(manifest).toMatchObject({
      mediaTypes: ['text'],
      fakeClasses: [1],
      runtime: { input: ['input_ids', 'attention_mask'] },
      preprocessing: { features: { kind: 'tokens', maxTokens: 40 } },
    })

    const host = await bench.start({ detectors: [{ id: 'text' }] })
    const ask = async (words: string[]) => {
      const file = await bench.write('prose.txt', words.join(' '))
      return (await host.detect({ file, mediaType: 'text' })).parts
    }
    const words = TEXT.replaceAll(/[^a-zA-Z ]+/g, ' ')
      .toLowerCase()
      .split(' ')
      .filter((word) => word !== '')
    const parts = await ask(words)
    expect(parts.length).toBeGreaterThan(1)
    const ids = (text: string) =>
      text
        .trim()
        .split(' ')
        .map((word) => vocab[word as keyof typeof vocab] ?? 1)
    for (const { name, risk } of parts) {
      const [from, to] = (name.match(/\d+/g) ?? []).map(Number)
      const passage = ids(words.join(' ').slice(from, to)).slice(0, 38)
      const all = [2, ...passage, 3]
      const mean = all.reduce((sum, id) => sum + id, 0) / all.length
      expect(risk).toBeCloseTo(sigmoid(-0.2 * mean + 0.5 - 0.3 * mean), 5)
    }
  })

  it('a text classifier of 32-bit tokens, which gets the raw text', async () => {
    const vocab = { '[PAD]': 0, '[UNK]': 1, '[CLS]': 2, '[SEP]': 3, the: 4, '#': 5, '*': 6 }
    const folder = await writeExport('raw', {
      'config.json': { id2label: { 0: 'Human', 1: 'Machine' } },
      'model.onnx': tokenClassifier([0.3, -0.2], [0, 0.5], INT32),
      'tokenizer.json': bertTokenizer(vocab),
      'tokenizer_config.json': { tokenizer_class: 'BertTokenizer' },
    })
    const { manifest } = await importIt(folder)
    expect(manifest.preprocessing).toMatchObject({ normalize: false })
    const host = await bench.start({ detectors: [{ id: 'raw' }] })
    const written = `# ${TEXT.replaceAll(/[^a-zA-Z ]+/g, ' ').slice(0, 600)} *the*`
    const { risk } = await host.detect({ file: await bench.write('raw.txt', written), mediaType: 'text' })
    const ids = written
      .toLowerCase()
      .match(/[a-z]+|[#*]/g)
      ?.map((word) => vocab[word as keyof typeof vocab] ?? 1) as number[]
    const all = [2, ...ids, 3]
    const mean = all.reduce((sum, id) => sum + id, 0) / all.length
    expect(all).toContain(5)
    expect(risk).toBeCloseTo(sigmoid(-0.2 * mean + 0.5 - 0.3 * mean), 5)
  })

  it('the package is complete: digests match, the card states what is unknown, hostile labels stay text', async () => {
    const folder = await writeExport('card', {
      'config.json': { id2label: { 0: 'real', 1: 'AI <script>' }, _name_or_path: 'x|y\n# Heading' },
      'preprocessor_config.json': IMAGE_PROCESSOR,
      'model.onnx': PIXELS,
    })
    const { folder: made } = await importIt(folder, { id: 'other-name' })
    expect((await fs.readdir(made)).toSorted()).toEqual(['card.md', 'detector.json', 'model.onnx', 'selftest.jpg'])
    const card = await fs.readFile(path.join(made, 'card.md'), 'utf8')
    expect(card).toContain('What is not known')
    expect(card).toContain('AI \\<script\\> (fake)')
    expect(card).toContain('x\\|y \\# Heading')
    const manifest = parseManifest(await fs.readFile(path.join(made, 'detector.json'), 'utf8'), 'x')
    expect(manifest.license).toBe('Not stated in the export')
    await (await bench.start({ detectors: [{ id: 'other-name' }] })).probe()
    await expect(importIt(folder, { id: 'other-name' })).rejects.toThrow(/already exists/)
    expect((await fs.readdir(bench.modelsDir)).toSorted()).toEqual(['other-name'])
  })

  it('of two at once under one id, the second to end is refused', async () => {
    const folder = await writeExport('twice', IMAGE)
    const ends = await Promise.allSettled([importIt(folder), importIt(folder)])
    expect(ends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(ends.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { reason: 'import-unsupported', message: expect.stringContaining('already exists') },
    })
  })

  it('a label that a person names', async () => {
    const labels = { id2label: { 0: 'LABEL_0', 1: 'LABEL_1' } }
    const folder = await writeExport('named', { ...IMAGE, 'config.json': labels })
    const { manifest } = await importIt(folder, { fakeLabels: ['LABEL_0'] })
    expect(manifest.fakeClasses).toEqual([0])
  })
})

/** tokenizer.json of a BERT whose vocabulary has whole words only. */
const bertTokenizer = (vocab: Record<string, number>) =>
  wordTokenizer(vocab, {
    normalizer: {
      type: 'BertNormalizer',
      clean_text: true,
      handle_chinese_chars: true,
      strip_accents: null,
      lowercase: true,
    },
    post_processor: betweenMarks(vocab),
  })
