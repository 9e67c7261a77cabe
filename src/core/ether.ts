const DECIMALS = 18

/** Wei in ether, without zeros at its end. @param decimals most; cut, so less stake never reads as the minimum */
export function etherOf(wei: bigint, decimals = DECIMALS): string {
  const digits = String(wei).padStart(DECIMALS + 1, '0')
  const fraction = digits.slice(-DECIMALS).slice(0, decimals).replace(/0+$/, '')
  return `${digits.slice(0, -DECIMALS)}${fraction === '' ? '' : `.${fraction}`}`
}
