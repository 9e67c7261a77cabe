import type { ConnectionOptions } from 'node:tls'
import { readTextNow } from '../../core/disk/plain-files.js'
import { AttestdError, errorText } from '../../core/errors.js'
import type { RedisAddress } from './redis-url.js'

/** What opens Redis in addition to its URL; files are PEM, by their paths. */
export interface RedisAccess {
  /** Wins over one in the URL. */
  readonly password?: string | undefined
  readonly sentinelPassword?: string | undefined
  /** The only authorities that are trusted, instead of those of the system. */
  readonly caFile?: string | undefined
  /** A certificate of our own and its key, where Redis asks for one. */
  readonly certFile?: string | undefined
  readonly keyFile?: string | undefined
}

/** Everything that a connection to Redis is made from. `shown` alone may stand in a log line or an error. */
export interface RedisTarget extends RedisAddress {
  readonly sentinelPassword: string | undefined
  readonly tlsOptions: ConnectionOptions | null
}

/** @throws AttestdError setting-invalid where a file cannot be read */
export function redisTarget(address: RedisAddress, access: RedisAccess): RedisTarget {
  const { password = address.password, sentinelPassword, caFile, certFile, keyFile } = access
  const ca = readPem('ATTESTD_QUEUE_TLS_CA', caFile)
  const cert = readPem('ATTESTD_QUEUE_TLS_CERT', certFile)
  const key = readPem('ATTESTD_QUEUE_TLS_KEY', keyFile)
  const tlsOptions = address.tls ? { ca, cert, key } : null
  return { ...address, password, sentinelPassword, tlsOptions }
}

function readPem(setting: string, file: string | undefined): string | undefined {
  if (file === undefined) return undefined
  let text: string
  try {
    text = readTextNow(file)
  } catch (error) {
    throw new AttestdError('setting-invalid', `${setting} (${file}) cannot be read: ${errorText(error)}`)
  }
  if (!text.includes('-----BEGIN ')) {
    throw new AttestdError('setting-invalid', `${setting} names ${file}, which is not a PEM file (-----BEGIN …).`)
  }
  return text
}
