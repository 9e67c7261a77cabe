/** HTML that is safe to send: made only by the `html` tag, which escapes everything that is put into it. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Piece = Html | string | number | null | readonly Piece[]

/** Builds HTML; every value that is not itself `Html` is escaped. */
export function html(strings: TemplateStringsArray, ...pieces: readonly Piece[]): Html {
  const parts = strings.map((string, index) => string + (index < pieces.length ? render(pieces[index] ?? null) : ''))
  return new Html(parts.join(''))
}

function render(piece: Piece): string {
  if (piece instanceof Html) return piece.text
  if (piece === null) return ''
  if (typeof piece === 'string' || typeof piece === 'number') return escapeHtml(String(piece))
  return piece.map(render).join('')
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}
