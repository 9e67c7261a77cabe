import { describe, expect, it } from 'vitest'
import { DetectorBench } from '../../support/detector-bench.js'
import { writePackage } from '../../support/detector-package.js'
import { tokenClassifier } from '../../support/tiny-classifiers.js'

const TEXT = 'It was the baker who told me that his bridge would be closed for a week, and so we had to go by the lake.'
/** Words of one letter, at which the patterns below try each way to part them, and the file ends otherwise. */
const TRAP = `${TEXT} ${'a'.repeat(60)}! ${TEXT}`
const CATASTROPHIC = ['(a+)+\\s', '([a-z]+)*\\d']

/** tokenizer.json that parts its texts by a pattern of its own. */
const tokenizerBy = (pattern: string) => ({
  version: '1.0',
  added_tokens: [{ id: 0, content: '[UNK]', special: true }],
  normalizer: null,
  pre_tokenizer: { type: 'Split', pattern: { Regex: pattern }, behavior: 'Isolated', invert: false },
  post_processor: null,
  decoder: null,
  model: {
    type: 'WordPiece',
    unk_token: '[UNK]',
    continuing_subword_prefix: '##',
    max_input_chars_per_word: 100,
    vocab: { '[UNK]': 0, a: 1 },
  },
})

const bench = DetectorBench.forEach()

function pack(pattern: string, sample: string): Promise<string> {
  const files = {
    'model.onnx': tokenClassifier([0, 0], [0, 0]),
    'selftest.txt': Buffer.from(sample),
    'tokenizer.json': Buffer.from(JSON.stringify(tokenizerBy(pattern))),
    'tokenizer_config.json': Buffer.from('{"tokenizer_class":"BertTokenizer"}'),
  }
  return writePackage(bench.modelsDir, 'trap', files, {
    mediaTypes: ['text'],
    runtime: { kind: 'onnx', model: 'model.onnx', input: ['input_ids', 'attention_mask'], output: 'logits' },
    preprocessing: {
      kind: 'text',
      minCharacters: 20,
      windowCharacters: 400,
      maxWindows: 4,
      languages: ['en'],
      features: {
        kind: 'tokens',
        tokenizer: 'tokenizer.json',
        tokenizerConfig: 'tokenizer_config.json',
        maxTokens: 64,
      },
    },
    outputKind: 'class-logits',
    fakeClasses: [1],
    selfTest: { file: 'selftest.txt', risk: 0.5, tolerance: 0.5 },
  })
}

describe('a tokenizer with a catastrophic pattern', () => {
  it.each(CATASTROPHIC)(
    '%s ends a text by name, and the next one gets its risk from a new process',
    async (pattern) => {
      await pack(pattern, TEXT)
      const host = await bench.start({ timeoutMs: 3_000 })
      const text = async (name: string, content: string) =>
        host.detect({ file: await bench.write(name, content), mediaType: 'text', label: name })
      await expect(text('trap.txt', TRAP)).rejects.toMatchObject({ reason: 'detector-timeout' })
      await expect(text('plain.txt', TEXT)).resolves.toMatchObject({ detectorId: 'trap', risk: 0.5 })
      expect(bench.all('child-stopped')).toMatchObject([{ cause: 'timeout' }])
    },
  )
})
