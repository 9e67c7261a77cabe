import { keysInUrls } from '../config/setting.js'
import { cleanLine } from '../core/text.js'

/** Longest text of an endpoint that is repeated, characters. */
const MAX_TEXT = 200

/** The name of an endpoint in logs, metrics and errors: providers put their keys into what follows the origin. */
export const endpointName = (url: string): string => new URL(url).origin

/** What an endpoint stated, as one short line without anything that may be the key in its URL. */
export function maskedEndpointText(text: string, url: string): string {
  const { pathname, search } = new URL(url)
  const whole = [`${pathname}${search}`, pathname].filter((part) => part.length > 1)
  return cleanLine(
    [...whole, ...keysInUrls(url)].reduce((rest, key) => (key === '' ? rest : rest.replaceAll(key, '••••••')), text),
    MAX_TEXT,
  )
}
