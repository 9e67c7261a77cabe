import { AttestdError } from '../errors.js'
import { isLoopback } from './loopback.js'

/** The service's origin: HTTPS, or plain to this machine or with `allowInsecure`. @throws setting-invalid */
export function parseServiceUrl(text: string, { allowInsecure = false } = {}): URL {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') {
    throw new AttestdError('setting-invalid', 'The service URL must be an origin such as https://service.example.')
  }
  if (url.username || url.password || url.search || url.hash || url.pathname !== '/') {
    throw new AttestdError(
      'setting-invalid',
      'The service URL must be an origin alone, without user, path, query or fragment: signed paths begin at /api/v1.',
    )
  }
  if (url.protocol === 'http:' && !allowInsecure && !isLoopback(url.hostname)) {
    throw new AttestdError(
      'setting-invalid',
      `The service URL must begin with https:// (plain http:// is accepted only for this machine), got host ${url.hostname}.`,
    )
  }
  return url
}
