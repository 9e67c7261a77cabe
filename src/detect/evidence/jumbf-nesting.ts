/** Superboxes within superboxes; a manifest store needs five (store, manifest, assertions, assertion, embedded file). */
const MAX_DEPTH = 16
/** Most boxes of one store; a long edit history with ingredients has some hundred. */
const MAX_BOXES = 20_000

/**
 * Refuses a store whose boxes are nested for no sane reason, before a library that reads them by recursion and copies each
 * sees it: 3.5 MB of empty boxes took 22 s and 12 GB there.
 * @param jumbf boxes of ISO/IEC 19566-5
 */
export function refuseDeepNesting(jumbf: Buffer): void {
  const open: number[] = []
  let at = 0
  for (let count = 0; at + 8 <= jumbf.length; count++) {
    while (open.length > 0 && (open.at(-1) as number) <= at) open.pop()
    const length = jumbf.readUInt32BE(at)
    // The library takes no shorter ones either.
    if (length < 8) return
    const isSuperbox = jumbf.toString('latin1', at + 4, at + 8) === 'jumb'
    if (isSuperbox) open.push(at + length)
    if (open.length > MAX_DEPTH || count > MAX_BOXES) throw new Error('boxes are nested too deep, or too many')
    at += isSuperbox ? 8 : length
  }
}
