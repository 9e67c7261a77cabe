import { isIP } from 'node:net'

/** Whether an address or name, an IPv6 one with or without brackets, stands for this machine only. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, '$1')
  if (name === 'localhost' || /.\.localhost$/.test(name)) return true
  return isIP(name) === 4 ? name.startsWith('127.') : name === '::1'
}
