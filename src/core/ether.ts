const DECIMALS = 18

/**
 * An amount of wei in ether, without zeros at its end.
 * @param decimals most of them; what follows is cut and never rounded up, so that a stake just below the minimum does not read
 *   as the minimum
 */
export function etherOf(wei: bigint, decimals = DECIMALS): string {
  const digits = String(wei).padStart(DECIMALS + 1, '0')
  const fraction = digits.slice(-DECIMALS).slice(0, decimals).replace(/0+$/, '')
  return `${digits.slice(0, -DECIMALS)}${fraction === '' ? '' : `.${fraction}`}`
}

/** Wei as ether with at most six decimals; `?` where it is not known. @param wei decimal string */
export const shortEther = (wei: string): string => (/^\d+$/.test(wei) ? etherOf(BigInt(wei), 6) : '?')
