/**
 * Every choice that wallet-session-api.md leaves open ("not shown"), in one place. A deployment may differ in each:
 * nothing outside the sandbox may depend on one of them.
 *
 * Shapes (`shapes.ts` has others, which are spoken where a test asks for them)
 * - The id of an asset is `id`; assets carry what those of the signed-key API do (createdAt, turnaround, scoreCount, …);
 *   mediaType only where the submitter stated it. Status is `open` or `closed`.
 * - Lists are `{ assets: [{ …asset, aggregate }] }`, in the order of registration; a single asset is
 *   `{ asset, scores, aggregate }`, also after it closed; registering answers 201 with `{ asset }`.
 * - A score is `{ id, assetId, attesterAddress, authenticityScore, deepfakeRiskBps, deepfakeRiskScore, algorithm, notes,
 *   attestationUid, createdAt }`; posting one answers 201 with `{ score, aggregate }`, and 200 with the same where it
 *   repeats the one on record. The aggregate is that of the signed-key API.
 * - An upload answers with `{ contentHash, uri, cid, bytes }`; chain time is `{ chainId, number, timestamp }`, timestamp
 *   in Unix seconds; a challenge's expiresAt is in Unix seconds.
 * - No pinning service is configured: uploaded media lie in the store behind this origin's IPFS gateway.
 * - Stream events carry `{ assets: […] }`. `new-asset` names what opened since the last look; nothing reports assets
 *   that closed. The stream ends when its session does.
 * - offchainAttestation is the JSON of `chain/eas/attestation.ts`, which is that of the EAS SDK.
 *
 * Challenges and sessions
 * - The text is ERC-4361 (Sign-In with Ethereum); its domain is the Host header of the request, its chain the registry's.
 * - A challenge is used up by the first well-formed request that names it, whatever comes of that. Unknown, used and
 *   expired challenges are 401, and so is a signature of another wallet or with a high s.
 * - A session token is a JSON Web Token (HS256). Its roles are those at its creation: a role that is lost or gained
 *   counts from the next session on.
 * - There is no rate limit and no stake gate: the roles of the contract alone decide.
 * - With authentication disabled every request has both roles, and acts as the wallet of its token where that is valid,
 *   else as the default wallet of the role that the route needs. Attestations are verified all the same. Its sessions are
 *   given to this machine alone, and are good for this run alone, whatever secret is configured.
 *
 * Refusals
 * - 400 for malformed requests, a deadline that is not in the future, and attestations that do not hold; 403 as stated;
 *   404 for an unknown asset; 409 for a score other than the one on record; 410 for a score on an asset that is closed;
 *   413 too large; 415 neither JSON nor, for an upload, multipart; 503 where the registry's chain does not answer, and
 *   for the time of another chain than the registry's.
 * - Order of checks on a score: session, role, body, asset, attestation, open, score on record.
 * - The time of an attestation may be from service time, when the request arrives, by the timestamp window at most: a
 *   score that arrives later than its window is refused (400), as the signed-key API refuses an old timestamp.
 * - Attestations of both versions are taken. Their data must state this asset, its content hash, and the risk, algorithm
 *   and notes of the body, as far as the schema has such fields.
 * - `signature` and `attesterAddress` in the body of a score are ignored.
 */

/** How long a challenge can be used, milliseconds. Source: "expires in a few minutes". */
export const CHALLENGE_MS = 5 * 60_000

/** Pending challenges; where there are more, the oldest is dropped. */
export const MAX_PENDING_CHALLENGES = 10_000

/** How long a session lasts, milliseconds. */
export const SESSION_MS = 60 * 60_000

/** Shortest session secret that is taken, characters. */
export const SESSION_SECRET_MIN = 16

/** Largest JSON body of a score, bytes: "large, since scores can carry attestation payloads". */
export const SCORE_BODY_LIMIT_BYTES = 256 * 1024

/** How often a stream looks for new open assets, milliseconds. Source: wallet-session-api.md, Limits. */
export const STREAM_POLL_MS = 2_000

/** How far authenticityScore may be from 100 less the risk as a percentage: clients round it to whole points. */
export const AUTHENTICITY_TOLERANCE = 0.5

/** What attestations must be made for: the contract where Base has it, in the domain version that the chain's own has. */
export const EAS = {
  contract: '0x4200000000000000000000000000000000000021',
  schema: 'string assetId,bytes32 contentHash,uint16 deepfakeRiskBps,string algorithm',
} as const
