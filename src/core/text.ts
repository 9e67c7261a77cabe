/**
 * Text from outside, made safe to keep: lone surrogates and NUL are replaced, because PostgreSQL refuses both,
 * and the length is capped.
 * @param max longest result, UTF-16 units
 */
export function cleanText(text: string, max = 2000): string {
  const clean = text.toWellFormed().replaceAll('\u0000', '\uFFFD')
  return clean.length > max ? `${clean.slice(0, max - 1).toWellFormed()}…` : clean
}
