import { createHash } from 'node:crypto'
import fs from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { readFileIfPresent, writeFileAtomic } from '../core/files.js'
import type { MediaType } from '../core/media-types.js'
import { riskSchema } from '../core/risk.js'
import { EVIDENCE_KINDS } from '../detect/contract/measurement.js'
import type { Detection } from '../detect/detection.js'
import type { SharedTexts } from '../queue/claims.js'

/** What must be the same for a stored detection to stand for a new one. */
export interface VerdictKey {
  readonly contentHash: string
  readonly detectorDigest: string
  readonly mediaType: MediaType
  /** See `Detection.platform`: another release or another ffmpeg may read the same bytes otherwise. */
  readonly platform: string
}

const riskyPart = z.object({ name: z.string(), risk: riskSchema })

const storedDetection = z.object({
  detectorId: z.string(),
  detectorVersion: z.string(),
  detectorDigest: z.string(),
  risk: riskSchema,
  rawScore: z.number(),
  unsure: z.boolean(),
  unsureBecause: z.enum(['band', 'flip']).nullable(),
  parts: z.array(riskyPart),
  variants: z.array(riskyPart),
  evidence: z.array(z.object({ kind: z.enum(EVIDENCE_KINDS), says: z.string() })),
  notes: z.string(),
  elapsedMs: z.object({ decode: z.number(), infer: z.number() }),
  platform: z.string(),
})

/** How long other daemons of the queue find a verdict, ms: the same bytes come again within minutes, as a rule. */
const SHARED_MS = 3_600_000

/**
 * Detections by content hash, detector digest and platform, so that the same bytes are never inferred twice: one small
 * file each, and for an hour a text that the other daemons of the queue see.
 */
export class VerdictStore {
  readonly #folder: string
  readonly #shared: SharedTexts | null

  constructor(folder: string, shared: SharedTexts | null = null) {
    this.#folder = folder
    this.#shared = shared
  }

  /** What cannot be read as a detection counts as absent: it is made again. @throws AttestdError queue-unreachable */
  async get(key: VerdictKey): Promise<Detection | null> {
    const kept = await readFileIfPresent(this.#file(key))
    const own = kept && readDetection(kept.toString('utf8'))
    if (own || !this.#shared) return own
    const text = await this.#shared.get(verdictName(key))
    return text === null ? null : readDetection(text)
  }

  /** @throws AttestdError queue-unreachable, once the file is written */
  async put(key: VerdictKey, detection: Detection): Promise<void> {
    const text = JSON.stringify(detection)
    await this.#write(this.#file(key), text)
    await this.#shared?.set(verdictName(key), text, SHARED_MS)
  }

  /** Removes verdicts older than `maxAgeMs`. */
  async prune(maxAgeMs: number, now: number): Promise<void> {
    const entries = await fs.readdir(this.#folder, { recursive: true, withFileTypes: true }).catch(() => [])
    for (const entry of entries.filter((one) => one.isFile())) {
      const file = path.join(entry.parentPath, entry.name)
      // Another process may have renamed or removed it since.
      const stat = await fs.stat(file).catch(() => null)
      if (stat && now - stat.mtimeMs > maxAgeMs) await fs.rm(file, { force: true })
    }
  }

  async #write(file: string, text: string): Promise<void> {
    try {
      await writeFileAtomic(file, text)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      await fs.mkdir(path.dirname(file), { recursive: true, mode: 0o700 })
      await writeFileAtomic(file, text)
    }
  }

  #file(key: VerdictKey): string {
    const name = verdictName(key)
    return path.join(this.#folder, name.slice(0, 2), `${name}.json`)
  }
}

/** 64 hex digits. Hashed, because a content hash comes from outside and must not choose a path or a key. */
export function verdictName({ contentHash, detectorDigest, mediaType, platform }: VerdictKey): string {
  return createHash('sha256').update([contentHash, detectorDigest, mediaType, platform].join('\n')).digest('hex')
}

function readDetection(text: string): Detection | null {
  try {
    return storedDetection.parse(JSON.parse(text))
  } catch {
    return null
  }
}
