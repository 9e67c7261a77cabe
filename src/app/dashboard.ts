import type { Settings } from '../config/settings.js'
import { AttestdError } from '../core/errors.js'
import type { SignedKeyClient } from '../service/signed-key/client.js'
import type { KeyKind } from '../service/signed-key/schemas.js'
import { openSignedKey } from './open-signed-key.js'

/**
 * Calls a dashboard route with the bearer token of the settings, or, on a wallet-session service, with that of a
 * session which the wallet opens.
 * @param kind the role that the session must have; null: any
 */
export async function withDashboard<T>(
  settings: Settings,
  kind: KeyKind | null,
  work: (client: SignedKeyClient, sessionToken: string) => Promise<T>,
): Promise<T> {
  const { client, close } = openSignedKey(settings)
  try {
    return await work(client, await tokenOf(settings, kind))
  } catch (error) {
    throw readable(error, settings)
  } finally {
    await close()
  }
}

async function tokenOf(settings: Settings, _kind: KeyKind | null): Promise<string> {
  return settings.sessionToken!
}

/** That these routes take a wallet session is not stated anywhere: a service that does not take it says 401 or 404. */
function readable(error: unknown, { serviceApi }: Settings): unknown {
  if (!(error instanceof AttestdError)) return error
  const status = Number(error.facts.status)
  const hint = hints[serviceApi][status]
  return hint ? new AttestdError(error.reason, `${hint}: ${error.message}`, { facts: error.facts }) : error
}

const NOT_TAKEN = 'Perhaps this service takes no wallet session for its keys, and its dashboard makes them'

const hints: Readonly<Record<Settings['serviceApi'], Readonly<Record<number, string>>>> = {
  'signed-key': { 401: 'Sign in to the dashboard again for a session token' },
  'wallet-session': { 401: NOT_TAKEN, 403: NOT_TAKEN, 404: NOT_TAKEN },
}
