import { Tokenizer } from '@huggingface/tokenizers'
import { z } from 'zod'
import { AttestdError, errorText } from '../../core/errors.js'
import type { ModelInput } from '../contract/medium-reader.js'
import { manifestRefused } from '../package/manifest-refused.js'
import type { DetectorPackage } from '../package/package-loader.js'
import type { TokenPlan } from '../package/preprocessing.js'
import { readPackageFile } from '../package/read-package-file.js'

/** Inputs that a text classifier may take, in whatever order its manifest names them. */
export const TOKEN_INPUTS = ['input_ids', 'attention_mask', 'token_type_ids'] as const
type TokenInput = (typeof TOKEN_INPUTS)[number]

/** Turns a passage of a text into the inputs of a model, in their order. */
export type TextFeatures = (passage: string) => readonly ModelInput[]

/** A passage's tokens. @param first of the runtime's inputs that takes tokens @throws model-digest-mismatch, manifest-invalid */
export async function tokenFeaturesOf(pack: DetectorPackage, plan: TokenPlan, first: number): Promise<TextFeatures> {
  const { id, runtime } = pack.manifest
  const inputs = ('input' in runtime ? [runtime.input].flat() : []).slice(first).map((name) => knownInput(name, id))
  if (!inputs.includes('input_ids')) throw refused(id, 'names no input_ids, which tokens become')
  return tokenInputs(await loadTokenizer(pack, plan), inputs, plan.maxTokens)
}

/** One text as the inputs of a model; of a longer one than the model takes the start, its end marks kept. */
function tokenInputs(tokenizer: Tokenizer, inputs: readonly TokenInput[], maxTokens: number): TextFeatures {
  return (passage) => {
    const ids = cut(tokenizer, passage, maxTokens)
    const shape = [1, ids.length]
    return inputs.map((name): ModelInput => {
      if (name === 'input_ids') return { type: 'int64', values: BigInt64Array.from(ids, BigInt), shape }
      const value = name === 'attention_mask' ? 1n : 0n
      return { type: 'int64', values: new BigInt64Array(ids.length).fill(value), shape }
    })
  }
}

/** @throws AttestdError model-digest-mismatch, manifest-invalid */
async function loadTokenizer(
  pack: DetectorPackage,
  files: Pick<TokenPlan, 'tokenizer' | 'tokenizerConfig'>,
): Promise<Tokenizer> {
  const [tokenizer, config] = await Promise.all(
    [files.tokenizer, files.tokenizerConfig].map((name) => readPackageFile(pack, name)),
  )
  try {
    const stated = JSON.parse(String(tokenizer)) as { readonly normalizer?: unknown }
    return new Tokenizer({ ...stated, normalizer: withoutNmt(stated.normalizer) }, JSON.parse(String(config)) as object)
  } catch (cause) {
    const message = `The tokenizer of ${pack.manifest.id} cannot be loaded: ${errorText(cause)}`
    throw new AttestdError('manifest-invalid', message, { cause })
  }
}

function cut(tokenizer: Tokenizer, passage: string, maxTokens: number): number[] {
  const { ids } = tokenizer.encode(passage)
  if (ids.length <= maxTokens) return ids
  // What the tokenizer puts before and behind a text, such as [CLS] and [SEP].
  const bare = tokenizer.encode(passage, { add_special_tokens: false }).ids
  const before = indexOfRun(ids, bare)
  const behind = ids.length - before - bare.length
  return [...ids.slice(0, maxTokens - behind), ...ids.slice(ids.length - behind)]
}

/** Where the shorter list starts in the longer one that holds it, a few places in at most. */
function indexOfRun(ids: readonly number[], run: readonly number[]): number {
  const room = ids.length - run.length
  for (let at = 0; at <= room; at++) if (run.every((id, index) => ids[at + index] === id)) return at
  return 0
}

function knownInput(name: string, id: string): TokenInput {
  const known = TOKEN_INPUTS.find((each) => each === name)
  if (known !== undefined) return known
  throw refused(id, `${name} is none of ${TOKEN_INPUTS.join(', ')}`)
}

const refused = (id: string, why: string): AttestdError => manifestRefused(id, 'runtime.input', why)

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
