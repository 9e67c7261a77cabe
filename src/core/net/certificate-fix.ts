import { errorCode } from '../errors.js'

/** Codes of Node for a certificate that is not trusted, not valid now, or not for the host. */
const CERTIFICATE = /CERT|SIGNATURE/

const FIX =
  'If the certificate is by an authority of your network, start attestd with NODE_EXTRA_CA_CERTS=FILE (PEM). Else check the host in the URL and the clock of this machine, or have the certificate renewed.'

/** What to do where a connection failed because of the certificate of the other side; undefined for another failure. */
export const certificateFix = (error: unknown): string | undefined =>
  CERTIFICATE.test(errorCode(error) ?? '') ? FIX : undefined
