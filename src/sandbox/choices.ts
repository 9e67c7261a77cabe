import type { MediaType } from '../core/media-types.js'

/**
 * Every choice that signed-key-api-v1.md leaves open ("not shown"), in one place. A deployment may differ in each:
 * nothing outside the sandbox may depend on one of them. Those of the second API are in `wallet-session/choices.ts`.
 *
 * - Error body: `{ error: { code, message } }`; the codes are those of `refusal.ts`.
 * - 401 for everything about credentials (missing, unknown, revoked, outside the window, bad signature);
 *   403 for a valid key that may not do this (wrong kind, no wallet, stake below the minimum, another attester's address);
 *   400 validation; 404 not open or unknown; 409 conflicting score; 413 too large; 415 not JSON; 429 with Retry-After.
 * - Order of checks: credentials, signature, kind of key, rate limit, wallet, stake, body.
 *   A caller without the secret can therefore not spend a key's budget.
 * - A signature may be used again inside the timestamp window: the specification has no nonce.
 * - A score on an asset that is not open is 404, as the single-asset route is.
 * - `GET /attester/media/:id` answers `{ asset, stake }`, to attester keys and to the submitter key of its owner, who
 *   also gets the aggregate, and after it closed; registering answers 201 with `{ asset }`;
 *   revoking answers 200 with `{ id, revoked: true }`, also the second time.
 * - Assets carry further fields: verificationDeadline, contentType, contributorAttestationUid, ownerAddress, createdAt.
 * - The service makes the attestation of a score with the wallet of the attester at its embedded wallet provider before
 *   the score is on record, and keeps both together; the reply has `attestationUid`. Where the provider does not sign,
 *   the answer is 503 and nothing is stored. A score of a wallet that the provider does not hold, such as an address
 *   that a test made up, stands without an attestation (`attestationUid` null): the wallet is linked, which is all that the
 *   specification asks for. Its time is service time; the chain is not asked.
 * - The development account behind the session token links one wallet for each kind of key. The dashboard key routes and
 *   the upload also take the token of a wallet's session: its keys are bound to that wallet, their kind must be one of its
 *   roles (403), and it revokes no other wallet's key (404).
 */

/** Tolerance of the request timestamp against service time, milliseconds. Source: signed-key-api-v1.md, Limits. */
export const TIMESTAMP_WINDOW_MS = 30_000

/** Largest JSON body, bytes. A score with long notes is about 2 KiB. */
export const JSON_BODY_LIMIT_BYTES = 64 * 1024

/** Largest uploaded file, bytes. Source: the limit that wallet-session-api.md states. */
export const UPLOAD_LIMIT_BYTES = 50 * 1024 * 1024

/** Requests of one access key in one window; all signed routes count. */
export const RATE_LIMIT = { requests: 600, windowMs: 60_000 }

/** Interval of `ping` events on the stream, milliseconds. */
export const HEARTBEAT_MS = 15_000

/** A snapshot follows a change of the open set after this pause, so that a burst of registrations costs one, milliseconds. */
export const SNAPSHOT_DELAY_MS = 100

/** A reader that takes no bytes for this long is cut, milliseconds. */
export const SLOW_READER_MS = 60_000

/** How often deadlines are looked at, milliseconds. */
export const DEADLINE_SWEEP_MS = 250

/** Longest title, algorithm and notes, UTF-16 units. */
export const TEXT_LIMITS = { title: 500, algorithm: 200, notes: 10_000, label: 200 }

/** The kind that the signed-key API gives for an asset whose submitter named none. */
export const DEFAULT_MEDIA_TYPE: MediaType = 'image'

/** Stake of a wallet at first and the least that is asked for, wei. */
export const DEFAULT_STAKE = { stakedWei: 2_000_000_000_000_000_000n, minStakeWei: 1_000_000_000_000_000_000n }

/** Body fields by which a client could try to name the attester; one that is not the key's wallet is refused. */
export const ATTESTER_ADDRESS_FIELDS = ['attesterAddress', 'attester', 'address', 'wallet'] as const

/** Bytes of one leaf block, so that media above this is a multi-block DAG. */
export const CHUNK_BYTES = 256 * 1024

/** The chain of the registry, and of the chain-time route where the caller names none: Base Sepolia. Source: wallet-session-api.md. */
export const DEFAULT_CHAIN_ID = 84532

/** Deadline that the helpers give to a registered asset, milliseconds. Source: wallet-session-api.md, "typically 12 hours". */
export const HELPER_DEADLINE_MS = 12 * 60 * 60 * 1000

/** Name and version in the health record. */
export const SERVICE_NAME = 'attestd-sandbox'
/** An integer, as the schema of the health record asks for; `attestd doctor` prints it, nothing depends on it. */
export const SERVICE_VERSION = 1
