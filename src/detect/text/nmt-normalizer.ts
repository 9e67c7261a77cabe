import { z } from 'zod'

/** SentencePiece's rule of machine translation as the tokenizer library knows it: control codes go, other blanks become spaces. */
const NMT = {
  type: 'Sequence',
  normalizers: [
    { type: 'Replace', pattern: { Regex: '[\\x01-\\x08\\x0b\\x0e-\\x1f\\x7f\\x8f\\x9f]' }, content: '' },
    {
      type: 'Replace',
      pattern: { Regex: '[\\t\\n\\f\\r\\u1680\\u200b-\\u200f\\u2028\\u2029\\u2581\\ufeff\\ufffd]' },
      content: ' ',
    },
  ],
}

const normalizerSchema = z.looseObject({ type: z.string(), normalizers: z.array(z.unknown()).optional() })

/** A normalizer of tokenizer.json with what stands for each `Nmt` in it, which the tokenizer library lacks. */
export function withoutNmt(normalizer: unknown): unknown {
  const { data } = normalizerSchema.safeParse(normalizer)
  if (data?.type === 'Nmt') return NMT
  return data?.normalizers === undefined ? normalizer : { ...data, normalizers: data.normalizers.map(withoutNmt) }
}
