import { errorCode, errorText } from '../errors.js'

/** Codes of Node for a certificate that is not trusted, not valid now, or not for the host. */
const CERTIFICATE = /CERT|SIGNATURE/
const CERTIFICATE_FIX =
  'If the certificate is by an authority of your network, start attestd with NODE_EXTRA_CA_CERTS=FILE (PEM). Else check the host in the URL and the clock of this machine, or have the certificate renewed.'
const HTTP_2_FIX = 'The server speaks HTTP/2 alone: enable HTTP/1.1 there, or name another server.'

/** What to do where a connection failed because of TLS; undefined for another failure. */
export function tlsFix(error: unknown): string | undefined {
  const code = errorCode(error) ?? ''
  if (code.includes('NO_APPLICATION_PROTOCOL')) return HTTP_2_FIX
  return CERTIFICATE.test(code) ? CERTIFICATE_FIX : undefined
}

/** See `errorText`, without the thread, the place in its source and the line break that OpenSSL states. */
export const connectionText = (error: unknown): string =>
  errorText(error).replace(/\w+:error:\w+:SSL routines:[^:]*:([^:]+):[^\n]*\n?/, 'TLS: $1')
