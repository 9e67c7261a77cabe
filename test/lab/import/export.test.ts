import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import sharp from 'sharp'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '../../../src/core/clock.js'
import { DEFAULT_MIN_CHARACTERS } from '../../../src/detect/package/preprocessing.js'
import { sniff } from '../../../src/formats/sniff.js'
import { audioPlan } from '../../../src/lab/import/audio-plan.js'
import { type CardFacts, cardStub } from '../../../src/lab/import/card-stub.js'
import { findFakeClasses } from '../../../src/lab/import/fake-classes.js'
import { type HuggingFaceExport, readExport } from '../../../src/lab/import/hugging-face-export.js'
import { imagePlan } from '../../../src/lab/import/image-plan.js'
import { planImport } from '../../../src/lab/import/import-plan.js'
import type { OnnxTensor } from '../../../src/lab/import/onnx-messages.js'
import { onnxNames } from '../../../src/lab/import/onnx-names.js'
import { SAMPLE_TEXT, samplePicture, sampleVoice } from '../../../src/lab/import/own-samples.js'
import { textPlan } from '../../../src/lab/import/text-plan.js'
import { tinyOnnx } from '../../support/detector-tiny-onnx.js'

let folder: string
beforeEach(async () => {
  folder = await fs.mkdtemp(path.join(os.tmpdir(), 'attestd-export-'))
})
afterEach(() => fs.rm(folder, { recursive: true }))

async function write(files: Record<string, string | object>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await fs.mkdir(path.dirname(path.join(folder, name)), { recursive: true })
    await fs.writeFile(path.join(folder, name), typeof content === 'string' ? content : JSON.stringify(content))
  }
}

const refused = (message: string | RegExp) => ({
  reason: 'import-unsupported',
  message: expect.stringMatching(message),
})

describe('an export', () => {
  it('is read from its files, what is not there as such', async () => {
    await write({ 'config.json': { model_type: 'vit' }, 'model.onnx': 'x' })
    expect(await readExport(folder, null)).toEqual({
      folder,
      model: path.join(folder, 'model.onnx'),
      config: { model_type: 'vit' },
      preprocessor: null,
      tokenizer: null,
      license: null,
    })
  })

  it('has its weights at the usual places, or where a person says', async () => {
    await write({ 'config.json': {}, 'model.onnx': 'x', 'onnx/model.onnx': 'x', 'other/m.onnx': 'x' })
    expect((await readExport(folder, null)).model).toBe(path.join(folder, 'onnx', 'model.onnx'))
    expect((await readExport(folder, 'other/m.onnx')).model).toBe(path.join(folder, 'other', 'm.onnx'))
    await expect(readExport(folder, 'absent.onnx')).rejects.toMatchObject(refused('holds no absent.onnx'))
  })

  it.each<[string, Record<string, string | object>, RegExp]>([
    ['without config.json', { 'model.onnx': 'x' }, /holds no config\.json/],
    ['without weights', { 'config.json': {} }, /holds no onnx\/model\.onnx nor model\.onnx/],
    ['with a folder for weights', { 'config.json': {}, 'model.onnx/x': 'x' }, /holds no/],
    [
      'with weights in two files',
      { 'config.json': {}, 'model.onnx': 'x', 'model.onnx_data': 'x' },
      /model\.onnx_data; export/,
    ],
    [
      'with weights in two files, as PyTorch',
      { 'config.json': {}, 'model.onnx': 'x', 'model.onnx.data': 'x' },
      /one file/,
    ],
    ['with a broken config', { 'config.json': '{', 'model.onnx': 'x' }, /config\.json is not JSON/],
    [
      'with another config',
      { 'config.json': { id2label: [] }, 'model.onnx': 'x' },
      /config\.json is not accepted: id2label/,
    ],
    [
      'with a size of nothing',
      { 'config.json': {}, 'model.onnx': 'x', 'preprocessor_config.json': { size: 0 } },
      /preprocessor_config\.json is not accepted: size/,
    ],
  ])('%s is refused', async (_, files, message) => {
    await write(files)
    await expect(readExport(folder, null)).rejects.toMatchObject(refused(message))
  })

  it.each([
    [{ model_max_length: 512 }, 512],
    [{ model_max_length: 1e30 }, null],
    [{}, null],
  ])('with the tokenizer %j takes at most %j tokens', async (config, maxLength) => {
    const files = { 'config.json': {}, 'model.onnx': 'x', 'tokenizer.json': { model: {} } }
    await write(files)
    expect((await readExport(folder, null)).tokenizer).toBeNull()
    await write({ 'tokenizer_config.json': config })
    expect((await readExport(folder, null)).tokenizer).toEqual({ maxLength })
  })

  it.each([
    ['---\nlicense: mit\n---\n', 'mit'],
    ['---\ntags: [x]\nlicense: "cc-by-4.0"\n---\n', 'cc-by-4.0'],
    ['license: mit\n', null],
    ['---\ntags: [x]\n---\nlicense: mit\n', null],
    ['---\nlicense:\n---\n', null],
    ['', null],
  ])('with the card %j states the license %j', async (card, license) => {
    await write({ 'config.json': {}, 'model.onnx': 'x', 'README.md': card })
    expect((await readExport(folder, null)).license).toBe(license)
  })
})

describe('weights', () => {
  it('say what they take and give, in a process of their own', async () => {
    const model = path.join(folder, 'model.onnx')
    await fs.writeFile(model, tinyOnnx([1, 2, 3], 0))
    const { inputs, outputs } = await onnxNames(model, systemClock)
    expect(inputs).toMatchObject([{ name: 'pixels', type: 'float32' }])
    expect(inputs[0]?.shape[1]).toBe(3)
    expect(outputs.map(({ name }) => name)).toEqual(['logit'])
  })

  it('that are none, or not there, are refused by name', async () => {
    const model = path.join(folder, 'model.onnx')
    await expect(onnxNames(model, systemClock)).rejects.toMatchObject(refused('is not a network that runs here'))
    await fs.writeFile(model, 'not a network')
    await expect(onnxNames(model, systemClock)).rejects.toMatchObject(refused(/model\.onnx is not a network/))
  })
})

describe('the plan of an import', () => {
  const found: HuggingFaceExport = {
    folder: '',
    model: '',
    config: { id2label: { 0: 'real', 1: 'fake' } },
    preprocessor: { size: 32, resample: 2, image_mean: 0.5, image_std: 0.5, sampling_rate: 16_000 },
    tokenizer: { maxLength: 100 },
    license: null,
  }
  const request = { fakeLabels: null, languages: ['en'], windowSeconds: null }
  const tensor = (name: string, shape: (number | null)[], type: string | null = 'float32'): OnnxTensor => ({
    name,
    shape,
    type,
  })
  const logits = [tensor('logits', [null, 2])]
  const plan = (inputs: OnnxTensor[], outputs = logits) => planImport(found, { inputs, outputs }, request)

  it.each<[string, OnnxTensor[], string, string]>([
    ['pixel_values', [tensor('pixel_values', [null, 3, 32, 32])], 'image', 'selftest.png'],
    ['four dimensions of any name', [tensor('x', [null, null, null, null])], 'image', 'selftest.png'],
    ['input_values', [tensor('input_values', [null, null])], 'audio', 'selftest.wav'],
    ['two dimensions of any name', [tensor('x', [null, null])], 'audio', 'selftest.wav'],
    ['input_ids', [tensor('input_ids', [null, null], 'int64')], 'text', 'selftest.txt'],
    [
      'input_ids with a mask',
      [tensor('input_ids', [null, null], 'int64'), tensor('attention_mask', [null, null], 'int64')],
      'text',
      'selftest.txt',
    ],
  ])('of a network that takes %s', (_, inputs, mediaType, sample) => {
    expect(plan(inputs)).toMatchObject({
      mediaType,
      inputs: inputs.map(({ name }) => name),
      output: 'logits',
      sample: { name: sample },
      classes: { fake: [1] },
    })
  })

  it.each<[string, OnnxTensor[], OnnxTensor[], RegExp]>([
    ['one color channel', [tensor('pixel_values', [null, 1, 32, 32])], logits, /1 color channels, not 3/],
    ['three dimensions', [tensor('x', [null, null, null])], logits, /was expected/],
    ['two inputs', [tensor('a', [null, 3, 32, 32]), tensor('b', [1])], logits, /takes a, b;/],
    ['no input', [], logits, /was expected/],
    ['bytes', [tensor('pixel_values', [null, 3, 32, 32], 'uint8')], logits, /is uint8, not float32/],
    ['tokens of 32 bits', [tensor('input_ids', [null, null], 'int32')], logits, /is int32, not int64/],
    ['what is no tensor', [tensor('x', [], null)], logits, /is no tensor, not float32/],
    [
      'an unknown token input',
      [tensor('input_ids', [null, null], 'int64'), tensor('bbox', [null, null], 'int64')],
      logits,
      /bbox is not known/,
    ],
    [
      'another number of classes',
      [tensor('pixel_values', [null, 3, 32, 32])],
      [tensor('logits', [null, 3])],
      /3 classes, config\.json names 2/,
    ],
    [
      'outputs of other names',
      [tensor('pixel_values', [null, 3, 32, 32])],
      [tensor('a', [2]), tensor('b', [2])],
      /returns a, b; none/,
    ],
  ])('of a network with %s is refused', (_, inputs, outputs, message) => {
    expect(() => plan(inputs, outputs)).toThrow(expect.objectContaining(refused(message)))
  })

  it('takes an only output by whatever name, and logits among several', () => {
    const pixels = [tensor('pixel_values', [null, 3, 32, 32])]
    expect(plan(pixels, [tensor('probs', [null, null])]).output).toBe('probs')
    expect(plan(pixels, [tensor('hidden', [null, 768]), ...logits]).output).toBe('logits')
  })
})

describe('what an export states wrongly, or not at all', () => {
  it('labels that a person names count as they are written', () => {
    const config = { id2label: { 0: 'A', 1: 'B', 2: 'C' } }
    expect(findFakeClasses(config, ['C', 'A']).fake).toEqual([0, 2])
    expect(() => findFakeClasses(config, ['a'])).toThrow(/no label "a"; there are: "A", "B", "C"/)
    expect(() => findFakeClasses(config, ['A', 'B', 'C'])).toThrow(/Every label/)
    expect(() => findFakeClasses(config, null)).toThrow(/None of the labels/)
    expect(() => findFakeClasses({ id2label: { 0: 'fake', 1: 'ai' } }, null)).toThrow(/Every label/)
  })

  it.each([
    [{ size: 32, resample: 0 }, /resample 0 \(of Pillow\) is not supported/],
    [{ size: { height: 32, width: 64 }, resample: 2 }, /size is 32x64; only squares/],
    [{ size: 32, do_center_crop: true, crop_size: { height: 16, width: 8 }, resample: 2 }, /crop_size is 16x8/],
    [{ resample: 2 }, /size states no height and width/],
  ])('an image export with %j is refused', (config, message) => {
    expect(() => imagePlan(config)).toThrow(message)
  })

  it('media without their configuration are refused', () => {
    expect(() => imagePlan(null)).toThrow(/preprocessor_config/)
    expect(() => audioPlan(null, null)).toThrow(/preprocessor_config/)
    expect(() => textPlan({ config: {}, tokenizer: null }, ['en'])).toThrow(/tokenizer\.json/)
    const spectrogram = { feature_extractor_type: 'ASTFeatureExtractor', sampling_rate: 16_000 }
    expect(() => audioPlan(spectrogram, null)).toThrow(/takes the output of ASTFeatureExtractor/)
  })

  it('bytes that are not rescaled are normalized on their own scale', () => {
    const config = { size: 32, resample: 2, do_rescale: false, image_mean: 127.5, image_std: 127.5 }
    const { guesses, preprocessing } = imagePlan(config)
    expect(preprocessing.normalize.mean[0]).toBeCloseTo(0.5, 12)
    expect(preprocessing.normalize.std[0]).toBeCloseTo(0.5, 12)
    expect(guesses).toEqual([expect.stringMatching(/does not rescale/)])
  })
})

describe('the card of an import', () => {
  const facts: CardFacts = {
    manifest: { id: 'm', mediaTypes: ['image'], selfTest: { file: 'selftest.png', risk: 0.5, tolerance: 0.02 } },
    classes: { labels: ['Real', 'Fa|ke'], fake: [1] },
    export: { folder: '', license: null, config: { architectures: ['ViT'], _name_or_path: '' } },
    guesses: ['A guess with `marks` and\na line.'],
  }

  it('states what is known, and what is not as that', () => {
    const card = cardStub(facts)
    expect(card).toContain('| Architecture | ViT |')
    expect(card).toContain('| Name in the export | not stated |')
    expect(card).toContain('| License in the export | not stated |')
    expect(card).toContain('| Classes | Real, Fa\\|ke (fake) |')
    expect(card).toContain('- A guess with \\`marks\\` and a line.\n')
  })

  it('lets no word of an export become Markdown', () => {
    const config = { model_type: '[x](http://evil.example)\n# Head', _name_or_path: '<img src=x>|' }
    const card = cardStub({ ...facts, export: { ...facts.export, config, license: '*bold*' } })
    expect(card).toContain('| \\[x\\](http://evil.example) \\# Head |')
    expect(card).toContain('| \\<img src=x\\>\\| |')
    expect(card).toContain('| \\*bold\\* |')
  })
})

describe('our own samples', () => {
  it('are a picture that every decoder reads, with something to see on it', async () => {
    const picture = samplePicture()
    const { channels, format, height, width } = await sharp(picture).metadata()
    expect({ channels, format, height, width }).toEqual({ channels: 3, format: 'png', height: 384, width: 384 })
    const stats = await sharp(picture).stats()
    expect(Math.min(...stats.channels.map(({ stdev }) => stdev))).toBeGreaterThan(20)
    expect(samplePicture().equals(picture)).toBe(true)
  })

  it('are a voice of five seconds in a WAV whose sizes are right', async () => {
    const voice = sampleVoice()
    expect((await sniff(voice)).class).toBe('audio')
    expect(voice.readUInt32LE(4)).toBe(voice.length - 8)
    expect(voice.readUInt32LE(40)).toBe(5 * 16_000 * 2)
    expect(voice).toHaveLength(44 + 5 * 16_000 * 2)
    const samples = Array.from({ length: 5 * 16_000 }, (_, at) => voice.readInt16LE(44 + 2 * at))
    expect(Math.max(...samples.map(Math.abs))).toBe(20_000)
    expect(samples.filter((each) => Math.abs(each) < 200).length).toBeGreaterThan(8000)
  })

  it('are a text that is long enough to be scored', () => {
    expect(SAMPLE_TEXT.length).toBeGreaterThan(DEFAULT_MIN_CHARACTERS)
    expect(SAMPLE_TEXT).not.toMatch(/[^\x20-\x7e\n]/)
  })
})
