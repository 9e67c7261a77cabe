/** Length of a text in characters (code points), as Python counts them, without taking it apart. */
export function charactersIn(text: string): number {
  let surrogatePairs = 0
  for (let at = 0; at < text.length; at++) if ((text.codePointAt(at) as number) > 0xffff) surrogatePairs++
  return text.length - surrogatePairs
}
