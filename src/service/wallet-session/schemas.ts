import { z } from 'zod'
import { addressSchema, bytes32Schema, percentageSchema, uriSchema } from '../wire-fields.js'

/**
 * Wire shapes of the wallet-session API, as far as the specification shows them, shared with the sandbox. They state what
 * travels and change nothing. What is not shown is read in `reading.ts`.
 */

/** Longest nonce and token that are taken, characters; the specification names no limit. */
const NONCE_MAX = 1024
const TOKEN_MAX = 8192

/** Text that can stand in a header or between quotes: printable ASCII without spaces. */
const opaque = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^[\x21-\x7e]+$/, 'must be printable characters without spaces')

/** Answer of GET /health (specification, Health result). */
export const healthReplySchema = z.looseObject({ ok: z.boolean() })

// authentication

/** Answer of GET /v1/auth/challenge (specification, Challenge); signed only where `checkChallenge` accepts it. */
export const challengeSchema = z.looseObject({
  message: z.string(),
  nonce: opaque(NONCE_MAX),
  /** Unit and format are not shown. */
  expiresAt: z.union([z.number(), z.string()]),
})

/** Body of POST /v1/auth/session: the challenge's nonce and the EIP-191 signature of its message. */
export const sessionRequestSchema = z.looseObject({
  nonce: opaque(NONCE_MAX),
  signature: z.string().regex(/^0x([0-9a-fA-F]{2})+$/, 'must be 0x and hex characters'),
})

/** The two roles that routes ask for (specification, Session); a session may list others, which do not matter. */
export const walletRoleSchema = z.enum(['attester', 'submitter'])

/** Answer of POST /v1/auth/session (specification, Session); the token is a secret. */
export const sessionSchema = z.looseObject({
  token: opaque(TOKEN_MAX),
  /** Unix seconds. */
  expiresAt: z.int().positive(),
  address: addressSchema,
  /** Of which `submitter` and `attester` are named. */
  roles: z.array(z.string().max(100)).max(100),
})

// attester routes

/** Body of POST /v1/assets/:id/scores (specification, Score input): authenticity in percent, risk in basis points. */
export const scoreInputSchema = z.looseObject({
  authenticityScore: percentageSchema,
  deepfakeRiskBps: z.int().min(0).max(10_000),
  algorithm: z.string().min(1),
  offchainAttestation: z.looseObject({}),
  notes: z.string().optional(),
})

/** The fields that the specification states of every asset; its id is not among them. */
export const assetSchema = z.looseObject({
  ownerAddress: addressSchema,
  title: z.string(),
  mediaContext: z.string(),
  contentHash: bytes32Schema,
  uri: uriSchema,
  contributorAttestationUid: z.string(),
  verificationDeadline: z.string(),
  /** `open`: accepts scores. */
  status: z.string(),
})

/** The role that a session must carry; the stake contract decides which roles a wallet has. */
export type WalletRole = z.infer<typeof walletRoleSchema>
/** What the service asks the wallet to sign; single-use, and valid for a few minutes. */
export type Challenge = z.infer<typeof challengeSchema>
/** A session as the service issued it; `SessionKeeper` keeps its token to itself. */
export type Session = z.infer<typeof sessionSchema>
/** A score in the units of this API, with the attestation that states the same risk. */
export type ScoreInput = z.infer<typeof scoreInputSchema>
