import dns from 'node:dns'
import net from 'node:net'
import { callbackify } from 'node:util'
import ipaddr from 'ipaddr.js'
import { Agent, buildConnector } from 'undici'
import { AttestdError } from '../../core/errors.js'

/** Resolves a host name to every address it has. */
export type ResolveAll = (hostname: string) => Promise<readonly { readonly address: string; readonly family: number }[]>

/** What may be dialled for an `https:` URL that an asset names; the defaults let only public addresses through. */
export interface AddressGuardOptions {
  /** @default [443] */
  readonly allowedPorts?: readonly number[] | undefined
  /** @default public addresses */
  readonly isAllowed?: ((address: string) => boolean) | undefined
  /** @default DNS */
  readonly resolve?: ResolveAll | undefined
  /** Name servers, as ADDRESS or ADDRESS:PORT. @default the system's */
  readonly nameServers?: readonly string[] | undefined
  /** Further certificate authority, PEM, for closed networks. */
  readonly ca?: string | undefined
  /** Longest time to a connection, milliseconds. @default CONNECT_TIMEOUT_MS */
  readonly connectTimeoutMs?: number
}

/** Keeps URLs that strangers name from reaching this machine or its network; each hop passes both steps. */
export interface AddressGuard {
  /** Refuses a URL by scheme, credentials, port or literal address. @throws AttestdError address-refused, uri-unsupported */
  check(url: URL): void
  /** Resolves, vets every address of the answer, and dials only those. */
  readonly dispatcher: Agent
}

/** @default longest time to a connection, milliseconds */
export const CONNECT_TIMEOUT_MS = 10_000

/** A name server is asked twice, the second time for twice as long, ms: together less than `CONNECT_TIMEOUT_MS`. */
const NAME_SERVER = { timeout: 2500, tries: 2 }

/** RFC 6052's well-known prefix: IPv4 as seen from an IPv6-only network. */
const NAT64 = ipaddr.parseCIDR('64:ff9b::/96')
/** All global unicast IPv6 so far; RFC 4291 and the IANA registry. */
const GLOBAL_UNICAST_6 = ipaddr.parseCIDR('2000::/3')

/**
 * Whether an address is on the public internet: not loopback, private, link-local, carrier-grade NAT, multicast,
 * reserved or unspecified, also not when embedded in IPv6 (mapped, NAT64). 6to4 and Teredo are refused altogether.
 * @param address textual IPv4 or IPv6, a zone id makes it non-public
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address) || address.includes('%')) return false
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4') return parsed.range() === 'unicast'
  const six = parsed as ipaddr.IPv6
  if (six.match(NAT64)) return isPublicAddress(ipaddr.fromByteArray(six.toByteArray().slice(12)).toString())
  return six.range() === 'unicast' && six.match(GLOBAL_UNICAST_6)
}

/** Guards requests to hosts that asset URIs name: what is vetted is what is dialled. */
export function createAddressGuard(options: AddressGuardOptions = {}): AddressGuard {
  const isAllowed = options.isAllowed ?? isPublicAddress
  const resolve = options.resolve ?? ((hostname) => resolveByDns(hostname, options.nameServers))
  const connect = buildConnector({
    timeout: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
    lookup: guardedLookup(resolve, isAllowed),
    ca: options.ca,
  })
  const dispatcher = new Agent({
    connect: (target, callback) => {
      const literal = literalAddress(target.hostname)
      if (literal !== null && !isAllowed(literal)) return callback(refused(target.hostname), null)
      connect(target, (...[error, socket]) => {
        if (error) return callback(error, null)
        // The lookup has vetted it; this is the belt to those braces.
        if (socket.remoteAddress && isAllowed(socket.remoteAddress)) return callback(null, socket)
        socket.destroy()
        callback(refused(target.hostname), null)
      })
    },
  })
  return { check: (url) => checkUrl(url, options, isAllowed), dispatcher }
}

function checkUrl(url: URL, options: AddressGuardOptions, isAllowed: (address: string) => boolean): void {
  if (url.protocol !== 'https:') {
    throw new AttestdError('uri-unsupported', `The URI leads to ${url.protocol}//, which is not supported.`)
  }
  if (url.username !== '' || url.password !== '') {
    throw new AttestdError('address-refused', 'The URI leads to a URL that contains credentials.')
  }
  const { allowedPorts = [443] } = options
  const port = url.port === '' ? 443 : Number(url.port)
  if (!allowedPorts.includes(port)) {
    throw new AttestdError('address-refused', `The URI leads to port ${port} of ${url.hostname}, which is not allowed.`)
  }
  const literal = literalAddress(url.hostname)
  if (literal !== null && !isAllowed(literal)) throw refused(url.hostname)
}

/** The address that a URL's host is, without IPv6 brackets; null for names. URL parsing has folded 127.1, 0x7f000001 and the like. */
function literalAddress(hostname: string): string | null {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1')
  return net.isIP(bare) === 0 ? null : bare
}

/**
 * Not by `dns.lookup`: that blocks a thread until an answer comes, one of the few that look up the service and the gateways as well, so
 * asset URIs with names that nobody answers for could stop the daemon. A new resolver for each name reads the system's current name servers.
 */
async function resolveByDns(hostname: string, nameServers?: readonly string[]) {
  const resolver = new dns.promises.Resolver(NAME_SERVER)
  if (nameServers) resolver.setServers(nameServers)
  const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
  const found = [four, six].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  if (found.length === 0 && four.status === 'rejected') throw four.reason
  return found.map((address) => ({ address, family: net.isIP(address) }))
}

function guardedLookup(resolve: ResolveAll, isAllowed: (address: string) => boolean): net.LookupFunction {
  const vet = callbackify(async (hostname: string) => {
    const addresses = await resolve(hostname)
    // One bad address spoils the answer: a name that mixes public and private ones is an attack or a mistake.
    if (addresses.length === 0 || !addresses.every(({ address }) => isAllowed(address))) throw refused(hostname)
    return addresses.map(({ address }) => ({ address, family: net.isIP(address) }))
  })
  return (hostname, options, callback) =>
    vet(hostname, (error, addresses) => {
      if (error) callback(error, '', 0)
      else if (options.all) callback(null, addresses)
      else callback(null, addresses[0]!.address, addresses[0]!.family)
    })
}

const refused = (hostname: string): AttestdError =>
  new AttestdError('address-refused', `The URI leads to ${hostname}, which is not a public address.`)
