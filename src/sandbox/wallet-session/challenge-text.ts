import { type Address, getAddress } from 'viem'

export interface ChallengeFacts {
  /** Host and port by which the caller reached the service. */
  readonly host: string
  readonly address: Address
  readonly chainId: number
  readonly nonce: string
  /** Unix milliseconds of service time. */
  readonly issuedAt: number
  readonly expiresAt: number
}

const STATEMENT = 'Open a session of the media verification service. This signature moves nothing and costs nothing.'

/** The text of a challenge, ERC-4361 (Sign-In with Ethereum), version 1. */
export function challengeText({ host, address, chainId, nonce, issuedAt, expiresAt }: ChallengeFacts): string {
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
