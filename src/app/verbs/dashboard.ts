import type { Settings } from '../../config/settings.js'
import { AttestdError } from '../../core/errors.js'
import type { SignedKeyClient } from '../../service/signed-key/client.js'
import type { KeyKind } from '../../service/signed-key/schemas.js'
import { openSignedKey } from '../open/open-signed-key.js'
import { openWalletOf, type WalletOfOptions } from '../open/open-wallet.js'
import { openWalletSession } from '../open/open-wallet-session.js'

/** How a wallet signs in; only on the wallet-session API. The roles are tried in turn until it has one. */
export interface DashboardSession {
  readonly wallet: WalletOfOptions
  /** A session of a wallet must have one of these. */
  readonly roles: readonly KeyKind[]
}

/** Calls a dashboard route with the bearer token of the settings, or of a session that the wallet opens. */
export async function withDashboard<T>(
  settings: Settings,
  session: DashboardSession,
  work: (client: SignedKeyClient, sessionToken: string) => Promise<T>,
): Promise<T> {
  const { client, close } = openSignedKey(settings)
  try {
    const token =
      settings.serviceApi === 'wallet-session' ? await walletToken(settings, session) : settings.sessionToken
    return await work(client, token!).catch((error: unknown) => {
      throw readable(error, settings)
    })
  } finally {
    await close()
  }
}

/** @throws AttestdError role-missing where the wallet has none of the roles */
async function walletToken(settings: Settings, { roles, wallet }: DashboardSession): Promise<string> {
  const signer = await openWalletOf(settings, wallet)
  let missing: unknown
  for (const role of roles) {
    const { close, session } = openWalletSession(settings, { role, signer })
    try {
      return await session.token(wallet.signal)
    } catch (error) {
      if (!(error instanceof AttestdError) || error.reason !== 'role-missing') throw error
      missing = error
    } finally {
      await close()
    }
  }
  throw missing
}

/** That these routes take a wallet session is not stated anywhere: a service that does not take it states 401 or 404. */
function readable(error: unknown, { serviceApi }: Settings): unknown {
  if (!(error instanceof AttestdError)) return error
  const status = Number(error.facts.status)
  const fix = FIXES[serviceApi][status]
  return fix ? new AttestdError(error.reason, error.message, { facts: error.facts, fix }) : error
}

const NOT_TAKEN = 'This service may not accept a wallet session for keys: create them in its dashboard.'

const FIXES: Readonly<Record<Settings['serviceApi'], Readonly<Record<number, string>>>> = {
  'signed-key': { 401: 'Sign in to the dashboard again, and set ATTESTD_SESSION_TOKEN to the new session token.' },
  'wallet-session': { 401: NOT_TAKEN, 403: NOT_TAKEN, 404: NOT_TAKEN },
}
