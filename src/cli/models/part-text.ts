/** What a package does for the scores, for tables. */
export function partText({
  canary,
  shadow,
  weight,
}: {
  readonly canary?: number | undefined
  readonly shadow: boolean
  readonly weight: number
}): string {
  if (canary !== undefined) return `canary, ${canary} % of the assets`
  return shadow ? 'shadow' : `scores, weight ${weight}`
}
