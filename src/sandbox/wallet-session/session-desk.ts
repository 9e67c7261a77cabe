import type { EasProfile } from '../../chain/eas/attestation.js'
import { easProfile } from '../../chain/eas/profile.js'
import { randomHex } from '../books/key-ring.js'
import type { CheckedOptions } from '../sandbox-options.js'
import type { Identity } from '../storage/kept-state.js'
import { ChallengeBook } from './challenge-book.js'
import { EAS } from './choices.js'
import { SessionIssuer } from './session-issuer.js'

/** What the wallet-session API has of its own; the rest it shares with the other one. */
export interface SessionDesk {
  readonly challenges: ChallengeBook
  readonly sessions: SessionIssuer
  readonly eas: EasProfile
}

/** @param now service time, Unix milliseconds @throws AttestdError setting-invalid for a schema that cannot be */
export function sessionDesk(
  { chainId, challengeMs, disableAuth, eas, sessionMs, sessionSecret, shapes }: CheckedOptions & Identity,
  now: () => number,
): SessionDesk {
  // Sessions that nobody checked must not be good for a service that checks, so they never have the configured secret.
  const secret = disableAuth ? randomHex(32) : sessionSecret
  return {
    challenges: new ChallengeBook({ now, chainId, shapes, lifetimeMs: challengeMs }),
    sessions: new SessionIssuer({ secret, now, lifetimeMs: sessionMs }),
    eas: easProfile({ ...EAS, domainVersion: '', attestationVersion: 2, schemaUid: null, ...eas, chainId }),
  }
}
