import { Tokenizer } from '@huggingface/tokenizers'
import { describe, expect, it } from 'vitest'
import { withoutNmt } from '../../../src/detect/text/token-features.js'

/** What the tokenizer library makes of a text by this normalizer. */
function normalized(normalizer: unknown, text: string): string {
  const model = { type: 'WordPiece', unk_token: '[UNK]', continuing_subword_prefix: '##', vocab: { '[UNK]': 0 } }
  const stated = { added_tokens: [], normalizer: withoutNmt(normalizer), pre_tokenizer: null, post_processor: null }
  const tokenizer = new Tokenizer({ ...stated, decoder: null, model }, {})
  return (tokenizer as unknown as { normalizer(text: string): string }).normalizer(text)
}

describe('the Nmt normalizer', () => {
  it.each([
    ['control codes go', 'a\u0001b\u000bc\u001fd\u007fe\u009ff', 'abcdef'],
    ['blanks become spaces', 'a\tb\nc\rd\u200be\u2028f\u2581g\ufeffh\ufffdi', 'a b c d e f g h i'],
    ['all else stays', 'Ein Café \u00a0ﬁ', 'Ein Café \u00a0ﬁ'],
  ])('%s', (_, text, expected) => {
    expect(normalized({ type: 'Nmt' }, text)).toBe(expected)
    expect(normalized({ type: 'Sequence', normalizers: [{ type: 'Nmt' }] }, text)).toBe(expected)
  })

  it('leaves other normalizers as they are', () => {
    for (const other of [
      null,
      undefined,
      7,
      { type: 'Lowercase' },
      { type: 'Sequence', normalizers: [{ type: 'NFC' }] },
    ])
      expect(withoutNmt(other)).toEqual(other)
  })
})
