import type { EasProfile } from '../../chain/eas/attestation.js'
import { easProfile } from '../../chain/eas/profile.js'
import type { RandomBytes } from '../books/key-ring.js'
import type { EasOptions, SandboxOptions } from '../sandbox-options.js'
import { ChallengeBook } from './challenge-book.js'
import { CHALLENGE_MS, EAS, SESSION_MS, STREAM_POLL_MS } from './choices.js'
import { SessionIssuer } from './session-issuer.js'
import type { WalletSessionShapes } from './shapes.js'

/** What the wallet-session API has of its own; the rest it shares with the other one. */
export interface SessionDesk {
  readonly challenges: ChallengeBook
  readonly sessions: SessionIssuer
  readonly eas: EasProfile
  /** Versions of attestations that are taken. */
  readonly attestationVersions: readonly (1 | 2)[]
  /** Development only: every request has both roles. */
  readonly authDisabled: boolean
  readonly streamPollMs: number
  readonly shapes: WalletSessionShapes
}

/** @throws AttestdError setting-invalid for a schema that cannot be */
export function sessionDesk(
  options: SandboxOptions,
  world: { readonly random: RandomBytes; readonly now: () => number; readonly chainId: number },
): SessionDesk {
  const { random, now, chainId } = world
  const authDisabled = options.disableAuth ?? false
  const { shapes = {} } = options
  // Sessions that nobody checked must not be good for a service that checks, so they never have the configured secret.
  const configured = authDisabled ? undefined : options.sessionSecret
  const secret = configured ?? Buffer.from(random(32)).toString('base64url')
  return {
    challenges: new ChallengeBook({ random, now, chainId, shapes, lifetimeMs: options.challengeMs ?? CHALLENGE_MS }),
    sessions: new SessionIssuer({ secret, now, lifetimeMs: options.sessionMs ?? SESSION_MS }),
    eas: profileOf(options.eas ?? {}, chainId),
    attestationVersions: options.eas?.attestationVersion === undefined ? [1, 2] : [options.eas.attestationVersion],
    authDisabled,
    streamPollMs: options.streamPollMs ?? STREAM_POLL_MS,
    shapes,
  }
}

const profileOf = (options: EasOptions, chainId: number): EasProfile =>
  easProfile({ ...EAS, domainVersion: '', attestationVersion: 2, schemaUid: null, ...options, chainId })
