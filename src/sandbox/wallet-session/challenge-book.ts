import { type Address, getAddress } from 'viem'
import { randomHex } from '../books/key-ring.js'
import { Refusal } from '../http/refusal.js'
import { MAX_PENDING_CHALLENGES } from './choices.js'
import type { WalletSessionShapes } from './shapes.js'

const STATEMENT = 'Open a session of the media verification service. This signature moves nothing and costs nothing.'

/** A text that waits for its signature. */
export interface Challenge {
  readonly nonce: string
  readonly message: string
  /** Lower case. */
  readonly address: Address
  /** Unix milliseconds of service time. */
  readonly expiresAt: number
}

/** `lifetimeMs` is how long a challenge can be used; the chain goes into its text. */
export interface ChallengeBookOptions {
  readonly now: () => number
  readonly lifetimeMs: number
  readonly chainId: number
  readonly shapes: WalletSessionShapes
}

/** The challenges that were given out and not yet used, oldest first. */
export class ChallengeBook {
  readonly #options: ChallengeBookOptions
  readonly #pending = new Map<string, Challenge>()

  constructor(options: ChallengeBookOptions) {
    this.#options = options
  }

  /** @param host host and port by which the caller reached the service */
  issue(wallet: Address, host: string): Challenge {
    const { now, lifetimeMs, chainId, shapes } = this.#options
    const address = wallet.toLowerCase() as Address
    const nonce = randomHex(16)
    const issuedAt = now()
    const expiresAt = issuedAt + lifetimeMs
    const text = challengeText({ host, address, chainId, nonce, issuedAt, expiresAt })
    const message = shapes.challenge?.(text) ?? text
    const challenge = { nonce, message, address, expiresAt }
    this.#makeRoom(issuedAt)
    this.#pending.set(nonce, challenge)
    return challenge
  }

  /** Uses a challenge up. Refuses one that is unknown, used or expired. */
  take(nonce: string): Challenge {
    const challenge = this.#pending.get(nonce)
    if (challenge === undefined) {
      throw new Refusal('challenge-invalid', 'The challenge is unknown or was already used: ask for a new one.')
    }
    this.#pending.delete(nonce)
    if (challenge.expiresAt <= this.#options.now()) {
      throw new Refusal('challenge-invalid', 'The challenge has expired: ask for a new one.')
    }
    return challenge
  }

  #makeRoom(now: number): void {
    for (const { nonce, expiresAt } of this.#pending.values()) {
      if (expiresAt <= now || this.#pending.size >= MAX_PENDING_CHALLENGES) this.#pending.delete(nonce)
    }
  }
}

interface ChallengeFacts {
  /** Host and port by which the caller reached the service. */
  readonly host: string
  readonly address: Address
  readonly chainId: number
  readonly nonce: string
  /** Unix milliseconds of service time. */
  readonly issuedAt: number
  readonly expiresAt: number
}

/** The text of a challenge, ERC-4361 (Sign-In with Ethereum), version 1. */
function challengeText({ host, address, chainId, nonce, issuedAt, expiresAt }: ChallengeFacts): string {
  return [
    `${host} wants you to sign in with your Ethereum account:`,
    getAddress(address),
    '',
    STATEMENT,
    '',
    `URI: http://${host}`,
    'Version: 1',
    `Chain ID: ${chainId}`,
    `Nonce: ${nonce}`,
    `Issued At: ${new Date(issuedAt).toISOString()}`,
    `Expiration Time: ${new Date(expiresAt).toISOString()}`,
  ].join('\n')
}
