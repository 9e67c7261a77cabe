import { z } from 'zod'
import { sandboxAssetSchema } from '../books/asset-book.js'
import { apiKeySchema, newKeyPair, randomHex } from '../books/key-ring.js'
import { scoreRecordSchema } from '../books/score-book.js'
import { keptStakeSchema, NO_STAKE_KEPT } from '../books/stake-registry.js'
import { privateKeySchema } from '../books/wallets.js'

const secret = z.string().min(1)
const keyPair = z.strictObject({ accessKey: secret, signingSecret: secret })

/** Secrets and names that are the same after a restart. */
const identitySchema = z.strictObject({
  /** Goes into every asset id. */
  run: z.string(),
  /** Of the dashboard. */
  sessionToken: secret,
  /** Signs the sessions of wallets. */
  sessionSecret: secret,
  attesterKey: keyPair,
  submitterKey: keyPair,
  wallets: z.strictObject({ attester: privateKeySchema, submitter: privateKeySchema }),
})
/** What a sandbox is called and proves itself by, for as long as its folder lives. */
export type Identity = z.infer<typeof identitySchema>

const booksSchema = z.strictObject({
  assets: z.array(sandboxAssetSchema),
  scores: z.array(scoreRecordSchema),
  keys: z.array(apiKeySchema),
  /** Private keys of the wallets that the sandbox made for new keys. */
  wallets: z.array(privateKeySchema),
  ...keptStakeSchema.shape,
})
/** The state of the books; stake and roles are those of `StakeRegistry.kept`. */
export type KeptBooks = z.infer<typeof booksSchema>

/** What `state.json` holds. */
export const keptStateSchema = z.strictObject({ version: z.literal(2), identity: identitySchema, books: booksSchema })
export type KeptState = z.infer<typeof keptStateSchema>

/** The state of a new sandbox, its secrets made up. @param run goes into every asset id */
export function newState(run: string): KeptState {
  const identity: Identity = {
    run,
    sessionToken: `dev_${randomHex(16)}`,
    sessionSecret: randomHex(32),
    attesterKey: newKeyPair('attester'),
    submitterKey: newKeyPair('submitter'),
    wallets: { attester: `0x${randomHex(32)}`, submitter: `0x${randomHex(32)}` },
  }
  return { version: 2, identity, books: { assets: [], scores: [], keys: [], wallets: [], ...NO_STAKE_KEPT } }
}
