/** What a package does for the scores, for tables. */
export function partText({
  canary,
  shadow,
  unlisted,
  weight,
}: {
  readonly canary?: number | undefined
  readonly shadow: boolean
  readonly unlisted?: boolean | undefined
  readonly weight: number
}): string {
  if (canary !== undefined) return `canary, ${canary} % of the assets`
  if (unlisted) return 'shadow, not in the list'
  return shadow ? 'shadow' : `scores, weight ${weight}`
}
