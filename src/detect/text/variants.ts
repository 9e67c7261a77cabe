import { sentencePieces } from './sentences.js'

/** An edit that leaves it open who wrote the text. */
export interface TextVariant {
  readonly name: string
  readonly text: string
}

/** Sentences that a text needs before one may go. */
const MIN_SENTENCES = 4

/** Edits of a normalized text for the stability probe: none changes what a reader would call it. */
export function textVariants(text: string): TextVariant[] {
  const pieces = sentencePieces(text)
  const plain = { name: 'commas for dashes, no quotes', text: text.replaceAll(' - ', ', ').replaceAll('"', '') }
  if (pieces.length < MIN_SENTENCES) return [plain]
  return [
    { name: 'without the first sentence', text: pieces.slice(1).join('') },
    { name: 'without the last sentence', text: pieces.slice(0, -1).join('').trimEnd() },
    plain,
  ]
}
