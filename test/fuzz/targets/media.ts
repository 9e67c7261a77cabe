import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { openDetectors } from '../../../src/app/open/open-detectors.js'
import { loadSettings } from '../../../src/config/load.js'
import { MEDIA_TYPES } from '../../../src/core/media-types.js'
import { START_TIMEOUT_MS } from '../../../src/detect/host/detector-process.js'
import { sniff } from '../../../src/formats/sniff.js'
import { mutatedBytes } from '../mutate/bytes.js'
import type { Chance } from '../mutate/chance.js'
import { mediaCorpus } from '../mutate/corpus.js'
import { craftedMedium, type Medium } from '../mutate/crafted.js'
import type { Target } from '../target.js'
import { judge, type Verdict } from '../verdict.js'

/** What may come between two jobs: the wait for a process that is replaced, ms. */
const REPLACEMENT_MS = 30_000
/** Limits of a detector process that a file may run into only where a parser is held by none of its own. */
const TOO_LATE = new Set(['detector-timeout', 'detector-out-of-memory'])

/** Media of every kind, mutated and crafted, through the shipped detectors as the daemon runs them. */
export const media: Target = {
  name: 'media',
  counts: 'media',
  async open() {
    const corpus = await mediaCorpus()
    const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'attestd-fuzz-media-'))
    const { settings } = loadSettings({ env: {} })
    const host = await openDetectors(settings, { workers: 1 })
    const limitMs = settings.detectorTimeoutMs + START_TIMEOUT_MS + REPLACEMENT_MS
    return {
      async tryOne(chance) {
        const { bytes, mediaType, ending } = hostileMedium(corpus, chance)
        const file = path.join(folder, `input.${ending}`)
        await fs.writeFile(file, bytes)
        const declared = chance.happens(0.9) ? mediaType : chance.pick(MEDIA_TYPES)
        const looked = await judge(() => sniff(bytes.subarray(0, 4100)), { limitMs: 5000, processorMs: 2000 })
        const verdict = await judge(() => host.detect({ file, mediaType: declared }), { limitMs })
        return { input: bytes, ending, verdicts: [inTime(verdict), ...(looked.wrong === null ? [] : [looked])] }
      },
      async close() {
        await host.close()
        await fs.rm(folder, { recursive: true })
      },
    }
  },
}

function hostileMedium(corpus: Awaited<ReturnType<typeof mediaCorpus>>, chance: Chance): Medium {
  if (chance.happens(0.3)) return craftedMedium(chance)
  const kinds = [...corpus.values()]
  const medium = chance.pick(chance.pick(kinds))
  const other = chance.pick(chance.pick(kinds))
  return { ...medium, bytes: mutatedBytes(medium.bytes, chance, other.bytes) }
}

function inTime(verdict: Verdict): Verdict {
  const { outcome } = verdict
  return TOO_LATE.has(outcome)
    ? { outcome, wrong: `ended in ${outcome}, after the limits within the process` }
    : verdict
}
