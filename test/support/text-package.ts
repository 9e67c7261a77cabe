import { writePackage } from './detector-package.js'

/** The files of a tokenizer as a manifest names them. */
export const TOKEN_FILES = { tokenizer: 'tokenizer.json', tokenizerConfig: 'tokenizer_config.json' }

/** tokenizer.json of whole words. @param vocabulary ids by word @param parts what stands in place of the usual parts */
export const wordTokenizer = (vocabulary: Readonly<Record<string, number>>, parts: object = {}) => ({
  version: '1.0',
  added_tokens: Object.entries(vocabulary)
    .filter(([word]) => /^\[.+\]$/.test(word))
    .map(([content, id]) => ({ id, content, special: true })),
  normalizer: null,
  pre_tokenizer: { type: 'BertPreTokenizer' },
  post_processor: null,
  decoder: null,
  model: {
    type: 'WordPiece',
    unk_token: '[UNK]',
    continuing_subword_prefix: '##',
    max_input_chars_per_word: 100,
    vocab: vocabulary,
  },
  ...parts,
})

/** The post-processor of a tokenizer that puts a mark before and behind each text. */
export const betweenMarks = (vocabulary: Readonly<Record<string, number>>) => ({
  type: 'TemplateProcessing',
  single: [
    { SpecialToken: { id: '[CLS]', type_id: 0 } },
    { Sequence: { id: 'A', type_id: 0 } },
    { SpecialToken: { id: '[SEP]', type_id: 0 } },
  ],
  pair: [],
  special_tokens: Object.fromEntries(
    ['[CLS]', '[SEP]'].map((mark) => [mark, { id: mark, ids: [vocabulary[mark]], tokens: [mark] }]),
  ),
})

/** Writes a package that scores texts by their tokens. @param features and `fields` replace those of its manifest */
export function writeTokenPackage(
  modelsDir: string,
  { tokenizer, model, sample }: { tokenizer: string; model: Uint8Array; sample: string },
  features: object = { kind: 'tokens', ...TOKEN_FILES, maxTokens: 64 },
  fields: Record<string, unknown> = {},
): Promise<string> {
  const files = {
    'model.onnx': model,
    'selftest.txt': Buffer.from(sample),
    'tokenizer.json': Buffer.from(tokenizer),
    'tokenizer_config.json': Buffer.from('{"tokenizer_class":"BertTokenizer"}'),
  }
  const sizes = { minCharacters: 20, windowCharacters: 400, maxWindows: 4 }
  return writePackage(modelsDir, 'tiny-text', files, {
    mediaTypes: ['text'],
    runtime: { kind: 'onnx', model: 'model.onnx', input: ['input_ids', 'attention_mask'], output: 'logits' },
    preprocessing: { kind: 'text', ...sizes, languages: ['en'], features },
    selfTest: { file: 'selftest.txt', risk: 0.5, tolerance: 0.5 },
    ...fields,
  })
}
