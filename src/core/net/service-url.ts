import { AttestdError } from '../errors.js'
import { isLoopback } from './loopback.js'

/**
 * Parses the service's origin. HTTPS is required for real credentials (specification, What the service does), so plain
 * HTTP is taken only for this machine itself, or with `allowInsecure`.
 * @throws AttestdError setting-invalid
 */
export function parseServiceUrl(text: string, { allowInsecure = false } = {}): URL {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') {
    throw new AttestdError('setting-invalid', 'The URL must be an origin such as https://service.example.')
  }
  if (url.username || url.password || url.search || url.hash || url.pathname !== '/') {
    throw new AttestdError(
      'setting-invalid',
      'The URL must be an origin alone, without user, path, query or fragment: signed paths begin at /api/v1.',
    )
  }
  if (url.protocol === 'http:' && !allowInsecure && !isLoopback(url.hostname)) {
    throw new AttestdError(
      'setting-invalid',
      `The URL must begin with https:// (plain http:// is accepted only for this machine), got host ${url.hostname}.`,
    )
  }
  return url
}
