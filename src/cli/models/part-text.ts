/** What a package does for the scores, for tables. */
export function partText({ shadow, weight }: { readonly shadow: boolean; readonly weight: number }): string {
  return shadow ? 'shadow' : `scores, weight ${weight}`
}
