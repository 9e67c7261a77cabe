import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Whether an address or name, an IPv6 one with or without brackets or mapped from IPv4, stands for this machine only. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, '$1')
  if (name === 'localhost' || /.\.localhost$/.test(name)) return true
  return isIP(name) !== 0 && ipaddr.process(name).range() === 'loopback'
}
