import type { Html } from '../../../src/observe/console/html.js'

/** What a person reads of a piece of a page: its texts, with one space between them. */
export function visibleText(piece: Html | string): string {
  const text = (typeof piece === 'string' ? piece : piece.text).replaceAll(/<[^>]*>/g, ' ')
  const plain = text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&#39;', "'").replaceAll('&quot;', '"')
  return plain.replaceAll('&amp;', '&').replaceAll(/\s+/g, ' ').trim()
}

/** The texts of the elements of a class, in order. */
export function textsOfClass(piece: Html, name: string): string[] {
  const pattern = new RegExp(`<(\\w+)[^>]*class="(?:[^"]* )?${name}(?: [^"]*)?"[^>]*>(.*?)</\\1>`, 'gs')
  return [...piece.text.matchAll(pattern)].map(([, , inner]) => visibleText(inner as string))
}
