import type { z } from 'zod'
import type { SandboxAsset } from './books/asset-book.js'
import { Refusal } from './http/refusal.js'
import type { RegisterBody } from './http/wire.js'
import type { World } from './world.js'

/** Puts an asset of either API on the books. Refuses a deadline that is not in the future. */
export function registerAsset(world: World, body: z.infer<typeof RegisterBody>, ownerAddress: string): SandboxAsset {
  if (!(Date.parse(body.verificationDeadline) > world.time.now())) {
    throw new Refusal('request-invalid', 'body: /verificationDeadline must be in the future')
  }
  return world.assets.register({
    title: body.title,
    mediaContext: body.mediaContext,
    contentType: body.contentType ?? 'auto',
    contentHash: body.contentHash.toLowerCase(),
    uri: body.uri,
    contributorAttestationUid: body.contributorAttestationUid,
    verificationDeadline: body.verificationDeadline,
    mediaType: body.mediaType ?? null,
    turnaround: body.turnaround ?? 'standard',
    ownerAddress: ownerAddress.toLowerCase(),
  })
}
