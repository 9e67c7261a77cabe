/**
 * What a nonce may look like: letters, digits and the signs of base64, as long as ERC-4361 wants it, or with a digit as
 * no word of the text has, and with dots only as signed tokens have them, whose last part is longer than any top level of
 * a host. The nonce's own characters are not judged where they stand in the text, so one that read as a host, an address
 * or a chain would hide it there.
 */
const NONCE = /^[\w+/=~-]{8,}$|^(?=\D*\d)[\w-]{4,7}$|^[\w.-]+\.[\w-]{20,}$/
const NO_NONCE = /0x[0-9a-f]{40}(?![0-9a-f])|localhost|xn--/i
/** Digits alone, as of a time, and too many for a year. */
const NUMBER = /^\d{8,}$/
/** Changes between small letters, capitals and digits; words have one at most, as `StarkNet` and `EIP-712` do. */
const CHANGES = /[a-z](?=[A-Z\d])|[A-Z](?=\d)|\d(?=[A-Za-z])/g
const CHANGES_MIN = 2

/** Whether a text can be a nonce at all. */
export function canBeNonce(text: string): boolean {
  return NONCE.test(text) && !NO_NONCE.test(text)
}

/**
 * Whether a nonce may be a word of a text that was written for something else: there are texts without any nonce whose
 * signature gives away the keys of an account elsewhere, and a service could call one of their words its nonce.
 */
export function mayBeWord(nonce: string): boolean {
  const changes = nonce.replaceAll(/[^A-Za-z\d]/g, '').match(CHANGES)?.length ?? 0
  return !NUMBER.test(nonce) && changes < CHANGES_MIN
}
