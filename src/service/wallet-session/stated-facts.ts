import type { StatedTime } from '../../core/clock.js'
import { cleanLine } from '../../core/text.js'

/** What a challenge may state. */
export interface Expected {
  readonly origin: URL
  /** Hosts other than the service's own that it may sign in to, lower case: a site whose API has its own host. */
  readonly domains?: readonly string[] | undefined
  readonly address: string
  readonly chainId: number
  /** Service time, by which its times are judged; null where the service has stated none, so that none is judged. */
  readonly time: StatedTime | null
}

/** A time of the challenge may be passed by this much, milliseconds: clocks differ. */
export const EXPIRY_TOLERANCE_MS = 60_000

/** Stands for the nonce in a text, so that its characters are not taken for a host, an address or data. */
export const NONCE_MARK = '\u0001'

const ADDRESSES = /0x[0-9a-f]{40}(?![0-9a-f])/gi
const CHAINS = [
  /\beip155:(\d+)/gi,
  new RegExp(`\\bchain[\\s_-]*id\\W{0,3}?(0x[0-9a-f]+|\\d+|${NONCE_MARK})`, 'gi'),
  new RegExp(`\\b(?:chain|network)\\s*[:=]\\s*(\\d+|${NONCE_MARK})`, 'gi'),
]
const URIS = /([a-z][a-z0-9+.-]*):\/\/([^\s/?#"'<>(),;]*?)[.:!]*(?=$|[\s/?#"'<>(),;])/gi
/** Names of things that are no web address, capabilities (ERC-5573) among them. */
const OTHER_URIS = /\b(?:urn|did|data|mailto|javascript|ethereum):\S/i
/** A letter of a name; the mark too, since the nonce may have been part of one. */
const LETTER = `\\p{L}\\p{M}${NONCE_MARK}`
/** What reads as a host: names with a top level, IPv4 and IPv6 addresses, localhost; with its port. */
const HOSTS = [
  new RegExp(`(?:[${LETTER}\\p{N}][${LETTER}\\p{N}_-]*\\.)+(?:[${LETTER}]{2,}|${NONCE_MARK})(?::\\d+)?`, 'giu'),
  /(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.]*\d)(?::\d+)?/g,
  /\[[0-9a-f:.]*:[0-9a-f:.]*\](?::\d+)?/gi,
  /\blocalhost\b(?::\d+)?/gi,
]
const LABELED_HOSTS = [
  /^\s*(?:domain|host|origin|audience|ur[il])\s*[:=]\s*(?:https?:\/\/)?([^\s/?#]+)/gim,
  /(?:https?:\/\/)?([^\s/]+) wants you to sign in/gi,
]

/**
 * What a text states that is not ours, in words; null where nothing is. Every address, chain, web address and host in it
 * counts, wherever it stands, so that no part of the text can be meant for another site.
 * @param text with `NONCE_MARK` in place of the right nonce
 */
export function wrongStatement(text: string, expected: Expected): string | null {
  return (
    wrongAddress(text, expected) ??
    wrongChain(text, expected) ??
    wrongHost(text, expected) ??
    wrongNonce(text) ??
    wrongTime(text, expected)
  )
}

/** Whether a host, with or without its port, is the service's, or one that the operator named. */
export function isOurHost(host: string, { domains = [], origin }: Pick<Expected, 'domains' | 'origin'>): boolean {
  const defaultPort = origin.protocol === 'https:' ? ':443' : ':80'
  const ours = [origin.host, origin.hostname, ...(origin.port ? [] : [`${origin.hostname}${defaultPort}`])]
  return [...ours, ...domains].includes(host.toLowerCase())
}

function wrongAddress(text: string, { address }: Expected): string | null {
  const other = (text.match(ADDRESSES) ?? []).find((found) => found.toLowerCase() !== address.toLowerCase())
  return other ? `it is for another address, ${other}` : null
}

function wrongChain(text: string, { chainId }: Expected): string | null {
  const stated = CHAINS.flatMap((pattern) => [...text.matchAll(pattern)].map(([, chain]) => chain!))
  const other = stated.find((chain) => Number(chain) !== chainId)
  return other ? `it is for another chain, ${shortened(other)} instead of ${chainId}` : null
}

/** Where a text states our host as well, a link to terms elsewhere does not matter: it is no message of the other site. */
function wrongHost(text: string, expected: Expected): string | null {
  const rest = withoutTerms(text)
  return wrongPlace(rest !== text && namesUs(rest, expected) ? rest : text, expected)
}

/** Links by https alone, without credentials or port, whose path states that they are terms. */
const TERMS_LINK =
  /(?<!\S)https:\/\/(?:[a-z0-9-]+\.)+[a-z]{2,}\/[\w/.-]*(?:terms|tos|legal|privacy|conditions)[\w/.-]*(?!\S)/gi

const withoutTerms = (text: string): string => text.replaceAll(TERMS_LINK, 'link')

const namesUs = (text: string, expected: Expected): boolean => hostsIn(text).some((host) => isOurHost(host, expected))

function hostsIn(text: string): string[] {
  const labeled = LABELED_HOSTS.flatMap((pattern) => [...text.matchAll(pattern)].map(([, host]) => host!))
  return [...labeled, ...HOSTS.flatMap((pattern) => text.match(pattern) ?? [])]
}

function wrongPlace(text: string, expected: Expected): string | null {
  if (OTHER_URIS.test(text)) return 'it names something that is no web address'
  for (const [, scheme, host] of text.matchAll(URIS)) {
    const isWeb = /^https?$/i.test(scheme!)
    if (!isWeb || !isOurHost(host!, expected)) return `it names another place, ${shortened(`${scheme}://${host}`)}`
  }
  const other = hostsIn(text).find((host) => !isOurHost(host, expected))
  return other ? `it names another domain, ${shortened(other)}` : null
}

const OTHER_NONCE = new RegExp(`\\bnonce\\s*[:=](?!\\s*["'<(]?${NONCE_MARK})`, 'i')

const wrongNonce = (text: string): string | null => (OTHER_NONCE.test(text) ? 'it states another nonce' : null)

function wrongTime(text: string, { time }: Expected): string | null {
  if (time === null) return null
  const { by, ms: now } = time
  for (const line of text.split('\n')) {
    const times = timesIn(line)
    const ends = /\b(?:expir\w*|valid until|not after)\b/i.test(line)
    if (ends && times.some((time) => time <= now - EXPIRY_TOLERANCE_MS)) return `it has expired by ${by}`
    const begins = /\b(?:not before|valid from)\b/i.test(line)
    if (begins && times.some((time) => time > now + EXPIRY_TOLERANCE_MS)) return `it is not valid yet by ${by}`
  }
  return null
}

const ISO_TIME = /(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)\s?(Z|[+-]\d\d:\d\d)?)?/gi
const HTTP_DATE = /[A-Z][a-z]{2}, \d{1,2} [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT/g
const UNIX_TIME = /(?<![\d.-])\d{10}(?:\d{3})?(?![\d-])/g

/** ISO 8601 texts (UTC where they name no zone), HTTP dates and Unix times of a line, Unix milliseconds. */
function timesIn(line: string): number[] {
  const iso = [...line.matchAll(ISO_TIME)].map(([, day, time = '00:00', zone = 'Z']) => `${day}T${time}${zone}`)
  const texts = [...iso, ...(line.match(HTTP_DATE) ?? [])].map((text) => Date.parse(text))
  const numbers = (line.match(UNIX_TIME) ?? []).map((digits) => Number(digits) * (digits.length === 10 ? 1000 : 1))
  return [...texts, ...numbers].filter((time) => !Number.isNaN(time))
}

const shortened = (text: string): string => cleanLine(text, 80)
