import type { ModelInput } from '../contract/medium-reader.js'
import type { DetectorPackage } from '../package/package-loader.js'
import type { TextPreprocessing } from '../package/preprocessing.js'
import { countNgrams, type NgramPlan } from './ngram-features.js'
import { styleMeasures } from './style-features.js'
import type { TextFeatures } from './token-features.js'

/** What a package makes of a passage: n-grams, tokens, or both, those last. @throws model-digest-mismatch, manifest-invalid */
export async function textFeaturesOf(
  pack: DetectorPackage,
  { features }: Pick<TextPreprocessing, 'features'>,
): Promise<TextFeatures> {
  if (features.kind === 'tokens') return (await tokenFeatures())(pack, features, 0)
  const ngrams = (passage: string) => ngramInputs(passage, features)
  if (features.tokens === undefined) return ngrams
  const tokens = await (await tokenFeatures())(pack, features.tokens, features.style ? 3 : 2)
  return (passage) => [...ngrams(passage), ...tokens(passage)]
}

/** Loaded where a package takes tokens only. */
const tokenFeatures = async () => (await import('./token-features.js')).tokenFeaturesOf

/** Hashed n-grams and their counts, int64 and float32 [1, n], and with `style` the measures of style, float32 [1, 64]. */
export function ngramInputs(passage: string, plan: NgramPlan & { readonly style: boolean }): ModelInput[] {
  const { indices, counts } = countNgrams(passage, plan)
  const inputs: ModelInput[] = [
    { type: 'int64', values: indices, shape: [1, indices.length] },
    { type: 'float32', values: counts, shape: [1, counts.length] },
  ]
  if (!plan.style) return inputs
  const style = styleMeasures(passage)
  return [...inputs, { type: 'float32', values: style, shape: [1, style.length] }]
}
