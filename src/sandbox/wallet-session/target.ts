/** Whether a request target belongs to this API, where errors are `{ error: string }`. */
export function isWalletSessionTarget(target: string): boolean {
  return /^\/(?:health|v1)(?:[/?]|$)/.test(target)
}
