/** Where a sentence ends; the pattern of the pack's own cropping. */
const SENTENCE_END = /(?<=[.!?。！？؟۔।])["')\]]*\s+|(?<=[。！？])/gu

/** The sentences of a normalized text, without the separators. */
export const sentencesOf = (text: string): string[] =>
  text.split(SENTENCE_END).filter((sentence) => sentence.trim() !== '')

/** The text cut behind its sentence ends, separators kept: joined, the pieces are the text. */
export function sentencePieces(text: string): string[] {
  const starts = [0, ...Array.from(text.matchAll(SENTENCE_END), (match) => match.index + match[0].length)]
  return starts.map((start, index) => text.slice(start, starts[index + 1])).filter((piece) => piece !== '')
}
