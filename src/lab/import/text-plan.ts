import { DEFAULT_MIN_CHARACTERS, type TextPreprocessing } from '../../detect/package/preprocessing.js'
import type { HuggingFaceExport } from './hugging-face-export.js'
import { unsupported } from './import-error.js'
import type { PreprocessingPlan } from './preprocessing-plan.js'

/** Name of the tokenizer files, in an export as in a package. */
export const TOKENIZER_FILES = { tokenizer: 'tokenizer.json', tokenizerConfig: 'tokenizer_config.json' } as const
/** Longest input where the export does not state, tokens. */
const DEFAULT_MAX_TOKENS = 512
/** RoBERTa numbers its positions from 2 on, so it has two more than it can use. */
const ROBERTA_OFFSET = 2
/** Characters of English prose that one token stands for, less a tenth so that few windows are cut. */
const CHARACTERS_PER_TOKEN = 3.6
const MAX_WINDOWS = 16

/** The preprocessing of an export that takes tokens. @throws AttestdError import-unsupported */
export function textPlan(
  { config, tokenizer }: Pick<HuggingFaceExport, 'config' | 'tokenizer'>,
  languages: readonly string[],
): PreprocessingPlan<TextPreprocessing> {
  if (tokenizer === null)
    throw unsupported(
      'A text model needs tokenizer.json and tokenizer_config.json (a fast tokenizer).',
      'Write both with AutoTokenizer.from_pretrained(MODEL, use_fast=True).save_pretrained(FOLDER).',
    )
  const maxTokens = maxTokensOf(config, tokenizer.maxLength)
  return {
    preprocessing: {
      kind: 'text',
      normalize: false,
      minCharacters: DEFAULT_MIN_CHARACTERS,
      windowCharacters: Math.floor(maxTokens * CHARACTERS_PER_TOKEN),
      maxWindows: MAX_WINDOWS,
      languages: [...languages],
      features: { kind: 'tokens', ...TOKENIZER_FILES, maxTokens },
    },
    guesses: [
      `The languages (${languages.join(', ')}) were set at the import (--languages), not by the export.`,
      `A text of more than ${maxTokens} tokens is scored in windows; the original may cut it off there.`,
    ],
  }
}

function maxTokensOf(
  { model_type, max_position_embeddings }: HuggingFaceExport['config'],
  stated: number | null,
): number {
  const offset = /roberta|camembert/.test(model_type ?? '') ? ROBERTA_OFFSET : 0
  const positions = max_position_embeddings === undefined ? null : max_position_embeddings - offset
  return Math.min(DEFAULT_MAX_TOKENS, ...[stated, positions].filter((each) => each !== null))
}
