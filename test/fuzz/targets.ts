import type { Target } from './target.js'
import { attestations } from './targets/attestations.js'
import { challenges } from './targets/challenges.js'
import { ipfs } from './targets/ipfs.js'
import { manifests } from './targets/manifests.js'
import { media } from './targets/media.js'
import { replies } from './targets/replies.js'
import { settings } from './targets/settings.js'
import { stream } from './targets/stream.js'

/** Everything that is fuzzed; media last, because they take what time is left. */
export const TARGETS: readonly Target[] = [manifests, settings, attestations, challenges, stream, replies, ipfs, media]
