import { describe, expect, it } from 'vitest'
import { packagePath } from '../../../src/core/files.js'
import type { OnnxTensor } from '../../../src/detect/contract/network.js'
import type { HuggingFaceExport } from '../../../src/lab/import/hugging-face-export.js'
import { planImport } from '../../../src/lab/import/import-plan.js'

const refused = (message: string | RegExp) => ({
  reason: 'import-unsupported',
  message: expect.stringMatching(message),
})

describe('the plan of an import', () => {
  const found: HuggingFaceExport = {
    folder: '',
    model: '',
    data: null,
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
    ['pixel_values', [tensor('pixel_values', [null, 3, 32, 32])], 'image', 'chelsea.jpg'],
    ['four dimensions of any name', [tensor('x', [null, null, null, null])], 'image', 'chelsea.jpg'],
    ['input_values', [tensor('input_values', [null, null])], 'audio', 'inaugural-address.ogg'],
    ['two dimensions of any name', [tensor('x', [null, null])], 'audio', 'inaugural-address.ogg'],
    ['pixels in halves', [tensor('pixel_values', [null, 3, 32, 32], 'float16')], 'image', 'chelsea.jpg'],
    [
      'input_values with a mask',
      [tensor('input_values', [null, null]), tensor('attention_mask', [null, null], 'int64')],
      'audio',
      'inaugural-address.ogg',
    ],
    ['input_ids', [tensor('input_ids', [null, null], 'int64')], 'text', 'northanger-abbey.txt'],
    ['tokens of 32 bits', [tensor('input_ids', [null, null], 'int32')], 'text', 'northanger-abbey.txt'],
    [
      'input_ids with a mask',
      [tensor('input_ids', [null, null], 'int64'), tensor('attention_mask', [null, null], 'int64')],
      'text',
      'northanger-abbey.txt',
    ],
  ])('of a network that takes %s', (_, inputs, mediaType, sample) => {
    expect(plan(inputs)).toMatchObject({
      mediaType,
      inputs: inputs.map(({ name }) => name),
      output: 'logits',
      sample: packagePath('samples', sample),
      classes: { fake: [1] },
    })
  })

  it.each<[string, OnnxTensor[], OnnxTensor[], RegExp]>([
    ['one color channel', [tensor('pixel_values', [null, 1, 32, 32])], logits, /1 color channels, not 3/],
    ['channels that come last', [tensor('x', [null, null, null, 3])], logits, /takes the color channels last/],
    ['channels that come last at one size', [tensor('x', [null, 64, 64, 3])], logits, /takes the color channels last/],
    ['clips of video', [tensor('pixel_values', [null, 4, 3, 32, 32])], logits, /has 5 dimensions/],
    ['a fixed batch', [tensor('pixel_values', [8, 3, 32, 32])], logits, /fixed batch size of 8/],
    ['a fixed length of text', [tensor('input_ids', [1, 128], 'int64')], logits, /fixed number of tokens of 128/],
    ['three dimensions', [tensor('x', [null, null, null])], logits, /was expected/],
    ['two inputs', [tensor('a', [null, 3, 32, 32]), tensor('b', [1])], logits, /takes a, b;/],
    ['no input', [], logits, /was expected/],
    ['doubles', [tensor('pixel_values', [null, 3, 32, 32], 'float64')], logits, /is float64, not float32 or float16/],
    ['bytes of sound', [tensor('input_values', [null, null], 'uint8')], logits, /is uint8, not float32/],
    ['tokens that are floats', [tensor('input_ids', [null, null])], logits, /is float32, not int64 or int32/],
    [
      'a mask of floats',
      [tensor('input_values', [null, null]), tensor('attention_mask', [null, null])],
      logits,
      /attention_mask of the network is float32, not int64/,
    ],
    ['a mask alone', [tensor('attention_mask', [null, null], 'int64')], logits, /was expected/],
    [
      'a mask of pictures',
      [tensor('pixel_values', [null, 3, 32, 32]), tensor('attention_mask', [null, null], 'int64')],
      logits,
      /was expected/,
    ],
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

  it('keeps bytes where the network takes bytes, and reports it', () => {
    const { preprocessing, guesses } = plan([tensor('pixel_values', [null, 3, 32, 32], 'uint8')])
    expect(preprocessing).toMatchObject({ normalize: { mean: [0, 0, 0], std: [1 / 255, 1 / 255, 1 / 255] } })
    expect(guesses).toContain('The network takes bytes; it is assumed to normalize them itself.')
  })

  it("passes the mask after the samples, in any order of the network's inputs", () => {
    const mask = tensor('attention_mask', [null, null], 'int64')
    expect(plan([mask, tensor('input_values', [null, null])]).inputs).toEqual(['input_values', 'attention_mask'])
  })

  it('takes a single output of any name, and logits among several', () => {
    const pixels = [tensor('pixel_values', [null, 3, 32, 32])]
    expect(plan(pixels, [tensor('probs', [null, null])]).output).toBe('probs')
    expect(plan(pixels, [tensor('hidden', [null, 768]), ...logits]).output).toBe('logits')
  })
})
