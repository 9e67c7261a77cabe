import net from 'node:net'

/**
 * How long one address of a host may take to accept a connection before its next address is tried, milliseconds: more than a round trip
 * over satellites, less than gateways and probes wait. By Node's 250 ms, a machine without IPv6 never reached a host that also has IPv6
 * addresses where the round trip took longer, or this process was busy for as long.
 */
const ATTEMPT_MS = 1000

/** Makes every connection of this process wait so long for each address. */
export function waitForSlowAddresses(): void {
  net.setDefaultAutoSelectFamilyAttemptTimeout(ATTEMPT_MS)
}
