import { createHash } from 'node:crypto'
import fs from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { type DetectorPackage, loadPackage } from '../../../src/detect/package/package-loader.js'
import type { TextPreprocessing } from '../../../src/detect/package/preprocessing.js'
import { ngramInputs, textFeaturesOf } from '../../../src/detect/text/text-features.js'
import { folderForEach } from '../../support/temporary-folder.js'
import { betweenMarks, TOKEN_FILES, wordTokenizer, writeTokenPackage } from '../../support/text-package.js'
import { withReason } from '../../support/with-reason.js'

const WORDS = 'it was the baker who told me that his bridge would be closed for a week and so we had to go by the lake'
const VOCABULARY = Object.fromEntries(
  ['[UNK]', '[CLS]', '[SEP]', '.', ...new Set(WORDS.split(' '))].map((word, id) => [word, id]),
)
/** With a mark before and behind each text. */
const TOKENIZER = wordTokenizer(VOCABULARY, {
  normalizer: { type: 'Lowercase' },
  post_processor: betweenMarks(VOCABULARY),
})
const TEXT = `${WORDS}.`

const modelsDir = folderForEach()

const NGRAMS = { kind: 'hashed-ngrams', characters: [1, 3], words: [1, 2], buckets: 1024, style: true } as const

interface Fields {
  input?: string | string[]
  maxTokens?: number
  tokenizer?: string
  features?: object
}

async function packed(fields: Fields = {}) {
  const { input = ['input_ids', 'attention_mask'], maxTokens = 64, tokenizer = JSON.stringify(TOKENIZER) } = fields
  const { features = { kind: 'tokens', ...TOKEN_FILES, maxTokens } } = fields
  const runtime = { kind: 'onnx', model: 'model.onnx', input, output: 'logits' }
  const files = { tokenizer, model: Buffer.from('m'), sample: TEXT }
  return loadPackage(await writeTokenPackage(modelsDir, files, features, { runtime }))
}

const open = async (pack: DetectorPackage) => textFeaturesOf(pack, pack.manifest.preprocessing as TextPreprocessing)

/** The inputs of the text, as plain numbers. */
async function inputsOf(fields?: Fields) {
  const features = await open(await packed(fields))
  return features(TEXT).map(({ type, values, shape }) => ({ type, values: Array.from(values, Number), shape }))
}
const ids = [1, ...WORDS.split(' ').map((word) => VOCABULARY[word] as number), VOCABULARY['.'] as number, 2]

describe('a text as tokens', () => {
  it('returns ids with the special tokens, and a mask of ones', async () => {
    const shape = [1, ids.length]
    expect(await inputsOf()).toEqual([
      { type: 'int64', values: ids, shape },
      { type: 'int64', values: ids.map(() => 1), shape },
    ])
  })

  it('supports the Nmt normalizer of SentencePiece, which the tokenizer library lacks', async () => {
    const normalizers = [{ type: 'Nmt' }, { type: 'Lowercase' }]
    const tokenizer = { ...TOKENIZER, normalizer: { type: 'Sequence', normalizers } }
    const [tokens] = await inputsOf({ tokenizer: JSON.stringify(tokenizer) })
    expect(tokens?.values).toEqual(ids)
  })

  it('returns the inputs in the order of the manifest, zeros as the types of tokens', async () => {
    const inputs = await inputsOf({ input: ['token_type_ids', 'input_ids'] })
    expect(inputs.map(({ values }) => values)).toEqual([ids.map(() => 0), ids])
    expect((await inputsOf({ input: 'input_ids' })).map(({ values }) => values)).toEqual([ids])
  })

  it('keeps the start of a text that is longer than the model accepts, and both special tokens', async () => {
    const [tokens, mask] = await inputsOf({ maxTokens: 8 })
    expect(tokens?.values).toEqual([...ids.slice(0, 7), 2])
    expect(mask?.values).toHaveLength(8)
    expect((await inputsOf({ maxTokens: ids.length }))[0]?.values).toEqual(ids)
    expect((await inputsOf({ maxTokens: ids.length - 1 }))[0]?.values).toEqual([...ids.slice(0, -2), 2])
  })

  it.each([true, false])('follows n-grams where a package takes both, style measures %s', async (style) => {
    const features = { ...NGRAMS, style, tokens: { ...TOKEN_FILES, maxTokens: 64 } }
    const input = ['index', 'count', ...(style ? ['style'] : []), 'input_ids']
    const found = await inputsOf({ input, features })
    const alone = ngramInputs(TEXT, { ...NGRAMS, style })
    const ngrams = alone.map(({ type, values, shape }) => ({ type, values: Array.from(values, Number), shape }))
    expect(found).toEqual([...ngrams, { type: 'int64', values: ids, shape: [1, ids.length] }])
  })

  it.each([
    [['input_ids', 'position_ids'], /runtime\.input: position_ids is none of input_ids/],
    ['ids', /runtime\.input: ids is none of/],
  ])('is refused by a manifest that names the inputs %j', async (input, message) => {
    await expect(packed({ input }).then(open)).rejects.toThrow(withReason('manifest-invalid', message))
  })

  it.each([
    [{ input: 'attention_mask' }],
    [{ input: ['index', 'count', 'style'], features: { ...NGRAMS, tokens: { ...TOKEN_FILES, maxTokens: 64 } } }],
  ])('is refused by a manifest that names no input for the tokens: %j', async (fields) => {
    await expect(packed(fields).then(open)).rejects.toThrow(
      withReason('manifest-invalid', 'runtime.input: names no input_ids'),
    )
  })

  it.each(['', '{', '[]', '{"version":"1.0"}'])('is refused with a tokenizer of %j', async (tokenizer) => {
    await expect(packed({ tokenizer: tokenizer || ' ' }).then(open)).rejects.toThrow(
      withReason('manifest-invalid', 'The tokenizer of tiny-text cannot be loaded'),
    )
  })

  it('is refused with a tokenizer that changed after the package was verified', async () => {
    const pack = await packed()
    const changed = JSON.stringify({ ...TOKENIZER, normalizer: null })
    expect(createHash('sha256').update(changed).digest('hex')).not.toBe(pack.manifest.files['tokenizer.json']?.sha256)
    await fs.writeFile(path.join(pack.folder, 'tokenizer.json'), changed)
    await expect(open(pack)).rejects.toMatchObject({ reason: 'model-digest-mismatch' })
  })
})
