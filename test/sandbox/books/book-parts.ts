/** One wallet, spelled in two ways, and another. */
export const WALLET = `0x${'ab'.repeat(20)}` as const
export const UPPER = `0x${'AB'.repeat(20)}`
export const OTHER = `0x${'cd'.repeat(20)}` as const

/** Bytes that differ from call to call, and are the same in every run. */
export function counting() {
  let calls = 0
  return (size: number) => new Uint8Array(size).fill(++calls)
}
