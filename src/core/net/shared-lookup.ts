import dns from 'node:dns'
import type net from 'node:net'

type Callback = Parameters<net.LookupFunction>[2]

const waiting = new Map<string, Callback[]>()

/**
 * `dns.lookup` for the hosts of the settings, once at a time for each: a lookup holds a thread until it is answered, and Node has two for
 * all of them. By one for each connection, a name server that takes seconds kept every host from being found in time.
 */
export const sharedLookup: net.LookupFunction = (hostname, options, callback) => {
  const key = JSON.stringify([hostname, options])
  const others = waiting.get(key)
  if (others) {
    others.push(callback)
    return
  }
  const all = [callback]
  waiting.set(key, all)
  dns.lookup(hostname, options, (error, address, family) => {
    waiting.delete(key)
    for (const each of all) each(error, address, family)
  })
}

/** What to add to a failure to connect: that the name of the host is still being looked up; empty where it is not. */
export function lookupText(host: string): string {
  const isWaiting = [...waiting.keys()].some((key) => JSON.parse(key)[0] === host)
  return isWaiting ? `; no name server has answered for ${host}` : ''
}
