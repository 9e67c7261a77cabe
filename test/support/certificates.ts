import { execFileSync } from 'node:child_process'
import path from 'node:path'

/** Paths of PEM files: an authority, and a certificate by it for 127.0.0.1 and localhost with its key. */
export interface Certificates {
  readonly ca: string
  readonly cert: string
  readonly key: string
}

/** Makes an authority of its own and a certificate, valid for two days, by openssl. */
export function makeCertificates(folder: string): Certificates {
  const file = (name: string) => path.join(folder, name)
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'ignore' })
  const newKey = (name: string) => [
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-keyout',
    file(name),
  ]
  openssl(
    'req',
    '-x509',
    ...newKey('ca.key'),
    '-out',
    file('ca.pem'),
    '-days',
    '2',
    '-subj',
    '/CN=attestd test authority',
  )
  const names = 'subjectAltName=IP:127.0.0.1,DNS:localhost'
  openssl('req', ...newKey('redis.key'), '-out', file('redis.csr'), '-subj', '/CN=redis', '-addext', names)
  const signer = ['-CA', file('ca.pem'), '-CAkey', file('ca.key'), '-CAcreateserial', '-copy_extensions', 'copyall']
  openssl('x509', '-req', '-in', file('redis.csr'), ...signer, '-days', '2', '-out', file('redis.pem'))
  return { ca: file('ca.pem'), cert: file('redis.pem'), key: file('redis.key') }
}
