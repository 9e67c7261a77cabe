/**
 * The ways in which a secret value may stand in a text: as it is, percent-encoded (either case of the hex digits, and
 * with `+` for a space), JSON-escaped once and twice, HTML-escaped, hex, and base64 at each of the three alignments a
 * longer base64 text can give it (`user:password` in a Basic header, for one).
 * @param secret not empty
 * @returns distinct forms
 */
export function secretForms(secret: string): string[] {
  const forms = new Set([secret, ...percentForms(secret), ...escapedForms(secret), ...base64Forms(secret)])
  const bytes = Buffer.from(secret, 'utf8')
  if (bytes.length >= MIN_ENCODED_BYTES) forms.add(bytes.toString('hex')).add(bytes.toString('hex').toUpperCase())
  return [...forms]
}

/** Encoded forms of shorter values are a few characters long and would match by chance. */
const MIN_ENCODED_BYTES = 6

function percentForms(secret: string): string[] {
  const component = encodeURIComponent(secret.toWellFormed())
  const strict = component.replaceAll(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
  const forms = [component, strict, encodeURI(secret.toWellFormed()), component.replaceAll('%20', '+')]
  return forms.flatMap((form) => [form, form.replaceAll(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase())])
}

function escapedForms(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1)
  const html = secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
  return [json, JSON.stringify(json).slice(1, -1), html, html.replaceAll("'", '&#39;')]
}

/** The characters of a base64 text that the secret alone decides, whatever stands before and after it. */
function base64Forms(secret: string): string[] {
  const bytes = Buffer.from(secret, 'utf8')
  if (bytes.length < MIN_ENCODED_BYTES) return []
  const inner = [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .replaceAll('=', '')
    const first = Math.ceil((offset * 8) / 6)
    const last = Math.floor(((offset + bytes.length) * 8) / 6)
    return text.slice(first, last)
  })
  return inner.flatMap((form) => [form, form.replaceAll('+', '-').replaceAll('/', '_')])
}
