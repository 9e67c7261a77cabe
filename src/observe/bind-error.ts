import { AttestdError, errorText } from '../core/errors.js'

/** The error for an address that cannot be bound: `port-in-use`, or `setting-invalid`. */
export function bindError(
  error: unknown,
  { host, port }: { readonly host: string; readonly port: number },
): AttestdError {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE') {
    return new AttestdError('port-in-use', `Port ${port} of ${host} is taken by another process.`, { cause: error })
  }
  return new AttestdError('setting-invalid', `${host}:${port} cannot be bound (${errorText(error)}).`, {
    cause: error,
    fix: 'Name an address of this machine (ip addr lists them), 127.0.0.1 or 0.0.0.0 for all, and a port from 1024 on where the user is not root.',
  })
}
