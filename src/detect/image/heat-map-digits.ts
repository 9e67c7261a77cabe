/** Width of a character with the gap behind it, dots. */
export const GLYPH_WIDTH = 4
/** Height of a character, dots: as many rows as `digitsOf` gives for each. */
export const GLYPH_HEIGHT = 5

// Drawn by hand: a server has no fonts, and the text renderer of libvips needs them.
const GLYPHS: Record<string, readonly string[]> = {
  '0': ['###', '# #', '# #', '# #', '###'],
  '1': [' # ', '## ', ' # ', ' # ', '###'],
  '2': ['###', '  #', '###', '#  ', '###'],
  '3': ['###', '  #', ' ##', '  #', '###'],
  '4': ['# #', '# #', '###', '  #', '  #'],
  '5': ['###', '#  ', '###', '  #', '###'],
  '6': ['###', '#  ', '###', '# #', '###'],
  '7': ['###', '  #', ' # ', ' # ', ' # '],
  '8': ['###', '# #', '###', '# #', '###'],
  '9': ['###', '# #', '###', '  #', '###'],
  '.': ['   ', '   ', '   ', '   ', ' # '],
}

/** The rows of dots of each character of a number; `#` is ink. */
export function digitsOf(text: string): (readonly string[])[] {
  return [...text].map((character) => GLYPHS[character] ?? [])
}
