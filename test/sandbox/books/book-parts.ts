/** One wallet, spelled in two ways, and another. */
export const WALLET = `0x${'ab'.repeat(20)}` as const
export const UPPER = `0x${'AB'.repeat(20)}`
export const OTHER = `0x${'cd'.repeat(20)}` as const
